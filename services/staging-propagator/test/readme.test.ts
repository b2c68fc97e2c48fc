// Checks the README's tables against the code. `vitest -u` writes the tables.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsBeside } from '@svc-server/service'
import { settingsTable } from '@svc-server/service/configuration'
import { metricTable } from '@svc-server/service/metrics'
import { withTables } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { stagingPropagator } from '../src/service.ts'

const path = join(import.meta.dirname, '../README.md')

test('the README lists every variable and every metric as the code has them', async () => {
  const tables = [settingsTable(stagingPropagator.variables, settingsBeside(stagingPropagator)), metricTable(stagingPropagator.metrics)]
  await expect(withTables(readFileSync(path, 'utf8'), tables)).toMatchFileSnapshot(
    path,
    'a table of the README: write it with -u, and read what changed',
  )
})
