import { sized } from '@svc-server/testkit'
import { ofEveryRun, short } from './history/plan.ts'
import { describeHistories } from './history/suite.ts'

describeHistories(sized([...new Set([...Array(32).keys(), ...ofEveryRun])], ofEveryRun), short)
