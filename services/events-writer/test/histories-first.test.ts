import { short } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(0, 15, short)
