// Deletes traces on real brokers and waits until their rows are removed. Meanwhile, the test kills writers and propagators.
import { afterAll, beforeAll, test } from 'vitest'
import { openTestCluster, type TestCluster } from './cluster.ts'
import { deletionRun } from './deletion-run.ts'
import { dual } from './merged-settings.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await openTestCluster(dual)
}, 180_000)
afterAll(() => cluster?.close(), 120_000)

test('only the deleted traces are missing, even when everything is resent and processes are killed meanwhile', async () => {
  await deletionRun(cluster, { traces: 30, deleted: 10, kills: 4, untilDone: true })
}, 1_500_000)
