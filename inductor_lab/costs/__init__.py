"""What launches and library calls must move and compute, and about how long that takes on a card.

4,096 rows of 2,048 bf16, read and written    ->  33.6 MB, floor 7.0 us, estimate 8.1 us
"""
