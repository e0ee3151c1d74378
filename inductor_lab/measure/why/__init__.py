"""Why one kernel is faster than another: what differs in their texts and their machine code, and where both stand under the card's ceilings."""
