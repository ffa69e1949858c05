#if DEBUG
print("This is a debug build, which says nothing; measure with: swift run -c release recorder-benchmark")
#endif
RecorderBenchmark().run()
