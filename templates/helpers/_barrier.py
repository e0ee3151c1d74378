if (
    triton.knobs.runtime.interpret
):  # these programs wait for each other, and Triton's interpreter runs one after the other
    import contextvars
    import functools
    import inspect
    import threading

    from triton.runtime import interpreter

    class _Program:
        """One program in a thread of its own: it goes on when it is its turn, up to where it looks whether the others are there."""

        running = None

        def __init__(self, place, kernel):
            self.place, self.kernel, self.ended, self.error = place, kernel, False, None
            self.begin, self.end = threading.Semaphore(0), threading.Semaphore(0)
            run = contextvars.copy_context().run  # numpy's settings
            threading.Thread(target=run, args=(self.run,), daemon=True).start()

        def run(self):
            self.begin.acquire()
            try:
                self.kernel()
            except BaseException as error:  # what ends a launch ends the others' waiting too
                self.error = error
            self.ended = True
            self.end.release()

        def turn(self):
            _Program.running = self
            interpreter.interpreter_builder.set_grid_idx(*self.place)
            self.begin.release()
            self.end.acquire()
            _Program.running = None
            if self.error:
                raise self.error

        def wait(self):
            self.end.release()
            self.begin.acquire()

    def _atomic(operation, pointer, value, mask, sem, scope):
        if sem == interpreter._ir.MEM_SEMANTIC.ACQUIRE and _Program.running:
            _Program.running.wait()
        builder = interpreter.interpreter_builder
        return type(builder).create_atomic_rmw(builder, operation, pointer, value, mask, sem, scope)

    def _in_turns(kernel):
        """The kernel as the interpreter calls it, once a program: the first call of a row runs all programs of it, a turn each."""

        @functools.wraps(kernel)
        def call(**arguments):
            x, *row = interpreter.interpreter_builder.grid_idx
            count = interpreter.interpreter_builder.grid_dim[0] if x == 0 else 0
            programs = [_Program((x, *row), functools.partial(kernel, **arguments)) for x in range(count)]
            for _ in range(50):  # one for each barrier and a few more
                for program in programs:
                    program.turn()
                programs = [program for program in programs if not program.ended]
            if programs:
                raise RuntimeError("its programs wait for each other and never go on")

        call.__signature__ = inspect.signature(kernel)
        return call

    def _launched(self, *arguments, grid, warmup, **options):
        if warmup:
            return
        kernel = _in_turns(self.rewrite()) if "RSPLIT" in self.arg_names else self.rewrite()
        interpreter.GridExecutor(kernel, self.arg_names, grid, self.pre_run_hooks)(*arguments, **options)

    interpreter.interpreter_builder.create_atomic_rmw = _atomic
    interpreter.InterpretedFunction.run = _launched
