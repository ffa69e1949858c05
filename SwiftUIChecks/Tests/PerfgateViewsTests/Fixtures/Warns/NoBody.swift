// @CountBodies found no 'var body' in 'V'

import PerfgateViews
import SwiftUI

@CountBodies
struct V {}
