// The tables of the README are made from the code. To renew one, paste what this test expects.
import { readFileSync } from 'node:fs'
import { settingsBeside } from '@svc-server/service'
import { settingsTable } from '@svc-server/service/configuration'
import { metricTable } from '@svc-server/service/metrics'
import { expect, test } from 'vitest'
import { stagingPropagator } from '../src/service.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README lists every variable as the configuration has it', () => {
  expect(readme).toContain(settingsTable(stagingPropagator.variables, settingsBeside(stagingPropagator)))
})

test('the README lists every metric as the catalogue has it', () => {
  expect(readme).toContain(metricTable(stagingPropagator.metrics))
})
