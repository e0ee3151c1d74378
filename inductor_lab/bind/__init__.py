"""What stands behind a launch's pointers: nodes of the graph, the program's tensors and source lines, blocks and warps.

in_ptr2, buf41, f32[4096]    ->  model.norm.weight, a parameter
"""
