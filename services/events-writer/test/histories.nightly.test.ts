import { long } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(
  Array.from({ length: 300 }, (_, at) => 1_000 + at),
  long,
)
