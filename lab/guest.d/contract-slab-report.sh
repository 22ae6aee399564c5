#!/bin/bash
# contract-slab-report.sh MODE: contract-slab-before-swap.sh at the size of the report it is taken
# from (truenas/linux#175): 131 MB of idle names, anonymous memory that grows to 360 MB.
exec bash /lab/guest.d/contract-slab-before-swap.sh "$1" 2 195000 9216 12000 512M
