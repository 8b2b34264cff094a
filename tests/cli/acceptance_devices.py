#!/usr/bin/env python3
"""Devices, and backends that are not there. usage: acceptance_devices.py HIPTUNE [TEST ...]"""
import pathlib
import shutil
import subprocess

import home
from home import SHAPE, Home, made_up_gpu

MODULE = 'extern "C" __attribute__((visibility("default"))) const void* %s(const char*) { return nullptr; }\n'


class Devices(Home):
    def test_each_backend_says_what_is_there_or_why_not(self):
        backends = self.json_of("devices")[-1]["backends"]
        self.assertEqual([backend["backend"] for backend in backends], ["amd", "nvidia", "host"])
        for backend in backends:
            self.assertEqual(backend["available"], bool(backend["devices"]))
            self.assertTrue(backend["devices"] or backend["reason"])
            self.assertTrue(backend.get("compiler") or backend["no_compiler"])

    def test_it_takes_no_device(self):
        self.run_hiptune("devices", "--device", "host", expect=2, phrases=["there is no option --device"])

    def test_words_that_name_no_device_are_errors(self):
        verify = ["verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--device"]
        backends = self.json_of("devices")[-1]["backends"]
        missing = [backend["backend"] for backend in backends if not backend["available"]]
        for device, phrases in (("amdd:0", ["no device 'amdd:0'", "did you mean \"amd\""]),
                                ("hsot", ["no device 'hsot'", "did you mean \"host\"", "host:wave64"]),
                                ("cuda", ["no device 'cuda'; there are: auto", "no amd: " if "amd" in missing else "amd:0"]),
                                ("", ["no device ''"]), ("amd:77", []), ("nvidia:77", [])):
            self.run_hiptune(*verify, device, expect=3, phrases=phrases)
        self.run_hiptune(*verify, "auto")

    def test_a_number_that_is_none_is_bad_input_where_the_backend_is_there(self):
        for backend in ("amd", "nvidia"):
            with self.subTest(backend):
                if not (pathlib.Path(self.program).parent.parent / "lib" / f"libhiptune_{backend}.so").exists():
                    self.skipTest(f"hiptune was built without the {backend} backend")
                for number in ("x", "-1", "0x", "99999999999999999999"):
                    self.run_hiptune("verify", "row_rms", *SHAPE, "--device", f"{backend}:{number}", expect=2,
                                     phrases=[f"device '{backend}:{number}'", f"as in {backend}:0"])


class Modules(Home):
    """Modules in place of the real ones: LD_LIBRARY_PATH comes before the folder of libhiptune."""

    def build(self, name, text="", *options):
        folder = self.home / "modules"
        folder.mkdir(exist_ok=True)
        source = folder / "module.cpp"
        source.write_text(text)
        subprocess.run(["c++", "-shared", "-fPIC", *options, "-o", folder / name, source], check=True)
        return folder

    def reasons(self, folder):
        """Why amd's devices and compiler are not there."""
        backend = next(one for one in self.json_of("devices", LD_LIBRARY_PATH=str(folder))[-1]["backends"]
                       if one["backend"] == "amd")
        return backend["reason"], backend["no_compiler"]

    def expect_everywhere(self, folder, device, compiler):
        for reason, phrase in zip(self.reasons(folder), (device, compiler)):
            self.assertIn(phrase, reason)
        there = {"LD_LIBRARY_PATH": str(folder)}
        self.run_hiptune("verify", "row_rms", *SHAPE, "--device", "amd:0", expect=3, phrases=[device], **there)
        self.run_hiptune("compile", "row_rms", *SHAPE, "--arch", "gfx90a", expect=3, phrases=[compiler], **there)
        self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--device", "host", **there)

    def tearDown(self):
        shutil.rmtree(self.home / "modules", ignore_errors=True)

    def test_that_are_not_there_mean_a_build_without_the_backend(self):
        folder = self.home / "modules"
        folder.mkdir()
        for file in (pathlib.Path(self.program).parent.parent / "lib").glob("libhiptune.so*"):
            shutil.copy(file, folder)
        share = pathlib.Path(self.program).resolve().parent.parent / "share"
        (self.home / "share").symlink_to(share)
        self.expect_everywhere(folder, "hiptune was built without the amd backend",
                               "hiptune was built without the amd backend")

    def test_of_another_build_are_named(self):
        self.build("libhiptune_amd.so", MODULE % "hiptune_device_module")
        folder = self.build("libhiptune_amd_compiler.so", "int nothing;\n")
        words = "belongs to another build of hiptune; install both anew"
        self.expect_everywhere(folder, f"libhiptune_amd.so {words}", f"libhiptune_amd_compiler.so {words}")

    def test_that_need_a_library_that_is_not_there_name_it_and_the_mend(self):
        folder = self.build("libvendor.so", "", "-Wl,-soname,libamdhip64.so.77")
        for name in ("libhiptune_amd.so", "libhiptune_amd_compiler.so"):
            self.build(name, "", "-Wl,--no-as-needed", f"-L{folder}", "-lvendor")
        words = ("needs libamdhip64.so.77, which is not installed; install that ROCm, or build hiptune with the one "
                 "that is there")
        self.expect_everywhere(folder, f"libhiptune_amd.so {words}", f"libhiptune_amd_compiler.so {words}")

    def test_that_do_not_load_come_with_the_loader_s_words(self):
        folder = self.build("libhiptune_amd_compiler.so", "extern \"C\" int gone(); int x = gone();\n")
        (folder / "libhiptune_amd.so").write_text("no library")
        self.expect_everywhere(folder, "libhiptune_amd.so does not load (", "undefined symbol: gone")


class MadeUpGpu(Home):
    def test_it_is_found_and_runs_a_kernel(self):
        backend = self.json_of("devices", **made_up_gpu())[-1]["backends"][0]
        self.assertEqual((backend["devices"][0]["name"], backend["compiler"]), ("Made-up GPU", "made-up compiler 1"))
        said = self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", **made_up_gpu()).stdout
        self.assertIn("on amd:0", said)

    def test_a_vendor_s_library_that_aborts_is_a_reason_and_not_the_end(self):
        said = self.run_hiptune("devices", **made_up_gpu("aborts")).stdout
        self.assertIn("amd: not available: looking for its devices, the worker was killed by signal 6", said)
        self.assertIn("the vendor's last words", said)
        self.assertIn("host:wave64", said)

    def test_a_device_that_is_lost_is_a_crashed_trial(self):
        done = self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "REDUCTION=serial", expect=1, **made_up_gpu())
        self.assertIn("5 of 6 variants passed; failures: 1 crashed", done.stdout)
        self.assertIn("crashed        the device was lost during gate: hipStreamSynchronize: an illegal memory access "
                      "was encountered (hipErrorIllegalAddress)", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_auto_goes_past_a_vendor_s_library_that_aborts(self):
        for verb in (["verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32"], ["compile", "row_rms", *SHAPE]):
            self.run_hiptune(*verb, "--device", "auto", **made_up_gpu("aborts"))

    def test_compile_without_a_name_takes_the_facts_of_the_device(self):
        line = self.json_of("compile", "row_rms", *SHAPE, "--device", "amd:0", **made_up_gpu("small"))[-1]
        self.assertEqual((line["compiled"], line["variants"], line["invalid"]), (6, 6, 12))


if __name__ == "__main__":
    home.main()
