// `vitest -u` writes the tables into the README.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsBeside } from '@svc-server/service'
import { settingsTable } from '@svc-server/service/configuration'
import { metricTable } from '@svc-server/service/metrics'
import { withTables } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { merger } from '../src/service.ts'

const path = join(import.meta.dirname, '../README.md')

test('the README lists every variable and every metric as the code has them', async () => {
  const tables = [settingsTable(merger.variables, settingsBeside(merger)), metricTable(merger.metrics)]
  await expect(withTables(readFileSync(path, 'utf8'), tables)).toMatchFileSnapshot(
    path,
    'a table of the README: write it with -u, and read what changed',
  )
})
