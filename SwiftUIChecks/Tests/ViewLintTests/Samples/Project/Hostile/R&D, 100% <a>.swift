// swift-format-ignore-file
struct `R<D>`: View { var body: some View { VStack { VStack { VStack { VStack {} } } } } }
