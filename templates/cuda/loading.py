import ctypes
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile


class CudaKernel:
    """The function `launch` of a .cu file, built when it is first called, and anew when the file was edited or a compiled-in size is another.

    On a GPU torch builds it with nvcc. Without one g++ does, for the CPU, with cuda_on_cpu.h in the place of CUDA: one block after the other,
    slow and right.
    """

    def __init__(self, path, header):
        self.path, self.header = pathlib.Path(path), pathlib.Path(header)
        self.built = {}

    def __call__(self, *arguments, **sizes):
        """Launch it on the current stream. sizes: those that are compiled in."""
        self.run(*arguments, **sizes)

    def run(self, *arguments, **sizes):
        saved = self.path.stat()
        key = (saved.st_mtime_ns, saved.st_size, *sizes.items())
        if key not in self.built:
            text = self.source(sizes)
            self.built[key] = self.on_gpu(text) if DEVICE == "cuda" else self.on_cpu(text)
        passed = [x.data_ptr() if isinstance(x, torch.Tensor) else x for x in arguments]
        stream = torch.cuda.current_stream().cuda_stream if DEVICE == "cuda" else 0
        error = self.built[key](*passed, stream)
        if error:
            raise RuntimeError(f"launching {self.path.name} failed with CUDA's error {error}")

    def source(self, sizes):
        """The file's text with these sizes compiled in."""
        text = self.path.read_text(encoding="utf-8")
        for name, size in sizes.items():
            text = re.sub(rf"^(constexpr int {name} = )-?\d+;", rf"\g<1>{size};", text, flags=re.MULTILINE)
        return text

    def parameters(self, text):
        """The C types and names of `launch`'s parameters; a pointer's or a stream's is `void*`."""
        declared = re.search(r'^extern "C" int launch\((.*?)\) *\{', text, re.MULTILINE | re.DOTALL)
        if declared is None:
            raise RuntimeError(f'{self.path.name} has no function `extern "C" int launch(...)`')
        words = [" ".join(each.split()) for each in declared[1].split(",")]
        pairs = [each.rsplit(" ", 1) for each in words]
        return [("void*" if "*" in kind or kind == "cudaStream_t" else kind, name.lstrip("*")) for kind, name in pairs]

    def on_gpu(self, text):
        from torch.utils.cpp_extension import load_inline

        pairs = self.parameters(text)
        taken = ", ".join(f"{'uintptr_t' if kind == 'void*' else kind} {name}" for kind, name in pairs)
        given = ", ".join(f"(void*){name}" if kind == "void*" else name for kind, name in pairs)
        binding = (
            f'#include <cstdint>\n#include <pybind11/pybind11.h>\nextern "C" int launch({", ".join(kind for kind, _ in pairs)});\n'
            "PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {\n"
            f'    module.def("launch", []({taken}) {{ return launch({given}); }});\n}}\n'
        )
        name = f"{self.path.stem}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        flags = ["-O3", "-std=c++17", "-lineinfo", "-prec-div=false"]  # a float is divided as Triton divides it
        return load_inline(name, binding, text, extra_cuda_cflags=flags, no_implicit_headers=True).launch

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
        function = ctypes.CDLL(str(library)).launch
        widths = {
            "void*": ctypes.c_void_p,
            "int64_t": ctypes.c_int64,
            "float": ctypes.c_float,
            "double": ctypes.c_double,
        }
        function.argtypes = [widths.get(kind, ctypes.c_int) for kind, _ in self.parameters(text)]
        return function
