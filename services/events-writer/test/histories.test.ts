import { sized } from '@svc-server/testkit'
import { ofEveryRun, short } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(0, sized(2 * ofEveryRun, ofEveryRun), short)
