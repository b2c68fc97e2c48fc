// Runs the kill tests of `cluster.test.ts` with more spans and with the default session timeout.
import { afterAll, beforeAll } from 'vitest'
import { openTestCluster, type TestCluster } from './cluster.ts'
import { killRuns } from './kill-run.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await openTestCluster({ SVC_LEDGER_AUDIT_MS: '1000', SVC_KAFKA_SESSION_TIMEOUT_MS: '15s' })
}, 120_000)
afterAll(() => cluster?.close(), 120_000)

killRuns(() => cluster, { undisturbed: 200_000, killed: 200_000, kills: 5, seed: 4 })
