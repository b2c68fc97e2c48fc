// A file of its own: they run side by side with the first ones.
import { short } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(15, 15, short)
