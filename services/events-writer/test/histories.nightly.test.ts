import { describeHistories } from './history/suite.ts'

describeHistories(1_000, 300)
