#!/bin/bash
# contract-slab-left.sh MODE: contract-slab-before-swap.sh, eight rounds.
exec bash /lab/guest.d/contract-slab-before-swap.sh "$1" 8
