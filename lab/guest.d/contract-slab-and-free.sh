#!/bin/bash
# contract-slab-and-free.sh MODE: contract-slab-before-swap.sh, four rounds.
exec bash /lab/guest.d/contract-slab-before-swap.sh "$1" 4
