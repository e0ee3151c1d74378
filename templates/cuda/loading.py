import ctypes
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile


class CudaKernel:
    """The function `launch` of a .cu file, built when it is first called, and anew when the file was edited or a compiled-in size is another.

    Of several kernels each has a namespace, and `launch_NAME` launches it. On a GPU torch builds the file with nvcc. Without one g++ does, for
    the CPU, with cuda_on_cpu.h in the place of CUDA: one block after the other, slow and right.
    """

    def __init__(self, path, header):
        self.path, self.header = pathlib.Path(path), pathlib.Path(header)
        self.built, self.functions = {}, {}

    def __call__(self, *arguments, kernel="", **sizes):
        """Launch it on the current stream. kernel: which, of several. sizes: those that are compiled in."""
        self.run(*arguments, kernel=kernel, **sizes)

    def run(self, *arguments, kernel="", **sizes):
        saved = self.path.stat()
        key = (saved.st_mtime_ns, saved.st_size, kernel, *sizes.items())
        if key not in self.functions:
            text, name = self.source(sizes, kernel), f"launch_{kernel}" if kernel else "launch"
            if name not in self.launchers(text):
                raise RuntimeError(f'{self.path.name} has no function `extern "C" int {name}(...)`')
            if text not in self.built:
                self.built[text] = self.on_gpu(text) if DEVICE == "cuda" else self.on_cpu(text)
            self.functions[key] = getattr(self.built[text], name)
        passed = [x.data_ptr() if isinstance(x, torch.Tensor) else x for x in arguments]
        stream = torch.cuda.current_stream().cuda_stream if DEVICE == "cuda" else 0
        error = self.functions[key](*passed, stream)
        if error:
            raise RuntimeError(f"launching {self.path.name} failed with CUDA's error {error}")

    def source(self, sizes, kernel=""):
        """The file's text with these sizes of a kernel compiled in."""
        before, begins, own = self.path.read_text(encoding="utf-8").rpartition(f"\nnamespace {kernel} {{\n")
        for name, size in sizes.items():
            own = re.sub(rf"^(constexpr int {name} = )-?\d+;", rf"\g<1>{size};", own, count=1, flags=re.MULTILINE)
        return before + begins + own

    def launchers(self, text):
        """Each function that launches -> the C types and names of its parameters; a pointer's or a stream's is `void*`."""
        found = {}
        for name, declared in re.findall(r'^extern "C" int (launch\w*)\((.*?)\) *\{', text, re.MULTILINE | re.DOTALL):
            words = [" ".join(each.split()).rsplit(" ", 1) for each in declared.split(",")]
            found[name] = [
                ("void*" if "*" in kind or kind == "cudaStream_t" else kind, own.lstrip("*")) for kind, own in words
            ]
        return found

    def on_gpu(self, text):
        from torch.utils.cpp_extension import load_inline

        declared, defined = [], []
        for launch, pairs in self.launchers(text).items():
            taken = ", ".join(f"{'uintptr_t' if kind == 'void*' else kind} {name}" for kind, name in pairs)
            given = ", ".join(f"(void*){name}" if kind == "void*" else name for kind, name in pairs)
            declared.append(f'extern "C" int {launch}({", ".join(kind for kind, _ in pairs)});')
            defined.append(f'    module.def("{launch}", []({taken}) {{ return {launch}({given}); }});')
        begins = "PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {"
        includes = ["#include <cstdint>", "#include <pybind11/pybind11.h>"]
        binding = "\n".join([*includes, *declared, begins, *defined, "}\n"])
        name = f"{self.path.stem}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        flags = ["-O3", "-std=c++17", "-lineinfo", "-prec-div=false"]  # a float is divided as Triton divides it
        return load_inline(name, binding, text, extra_cuda_cflags=flags, no_implicit_headers=True)

    def on_cpu(self, text):
        header = self.header.read_text(encoding="utf-8")
        waits = "true" if re.search(r"__sync|__shfl", text) else "false"
        text = re.sub(r"^#include <(?:cuda\w*|mma)\.h>\n", "", text, flags=re.MULTILINE)
        launch = r"(\w[\w:]*(?:<[^<>;{}]*>)?)\s*<<<(.*?)>>>\s*(\(.*?\));"
        text = re.sub(launch, rf"cuda_on_cpu::Launch({waits}, \2)([=] {{ \1\3; }});", text, flags=re.DOTALL)
        text = f'#line 1 "{self.header.name}"\n{header}\n#line 1 "{self.path.name}"\n{text}'
        hash_ = hashlib.sha256(text.encode()).hexdigest()[:16]
        folder = pathlib.Path(os.environ.get("TORCH_EXTENSIONS_DIR") or "~/.cache/torch_extensions").expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / f"{self.path.stem}_{hash_}_cpu.so"
        if not library.exists():
            with tempfile.TemporaryDirectory(dir=folder) as made:
                file, unfinished = pathlib.Path(made, "kernel.cpp"), pathlib.Path(made, "kernel.so")
                file.write_text(text, encoding="utf-8")
                flags = ["-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-w", "-shared", "-fPIC", "-ffp-contract=off"]
                try:
                    done = subprocess.run(
                        [os.environ.get("CXX", "g++"), *flags, "-o", unfinished, file], capture_output=True, text=True
                    )
                except FileNotFoundError as error:
                    raise RuntimeError(
                        f"without a GPU {self.path.name} is built for the CPU by g++, which is not here"
                    ) from error
                if done.returncode:
                    errors = [line for line in done.stderr.splitlines() if "error:" in line]
                    raise RuntimeError(f"{self.path.name} does not compile: {(errors or [done.stderr.strip()])[0]}")
                os.replace(unfinished, library)
        loaded = ctypes.CDLL(str(library))
        widths = {
            "void*": ctypes.c_void_p,
            "int64_t": ctypes.c_int64,
            "float": ctypes.c_float,
            "double": ctypes.c_double,
        }
        for launch, pairs in self.launchers(text).items():
            getattr(loaded, launch).argtypes = [widths.get(kind, ctypes.c_int) for kind, _ in pairs]
        return loaded
