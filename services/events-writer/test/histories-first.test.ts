import { describeHistories } from './history/suite.ts'

describeHistories(0, 15)
