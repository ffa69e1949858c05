/// What the system tells. Each platform's file adds what is there; what isn't is `nil`.
enum PlatformDevice {}
