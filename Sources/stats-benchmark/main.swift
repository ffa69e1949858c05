print(Benchmark(comparisons: 500, repetitions: 9).report())
