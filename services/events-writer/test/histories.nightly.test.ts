import { long } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(1_000, 300, long)
