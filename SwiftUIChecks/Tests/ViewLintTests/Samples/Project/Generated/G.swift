struct G: View { var body: some View { VStack { VStack { VStack { VStack {} } } } } }
