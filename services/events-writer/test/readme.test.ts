// The tables of the README are made from the code. To renew one, paste what this test expects.
import { readFileSync } from 'node:fs'
import { envTable } from '@svc-server/service/configuration'
import { metricTable } from '@svc-server/service/metrics'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { writerEnvironment, writerMetrics, writerProcessEnvironment } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README lists every variable as the configuration has it', () => {
  expect(readme).toContain(envTable(writerEnvironment))
})

test('and those of a process of its own', () => {
  const besides = Object.entries(writerProcessEnvironment.shape).filter(([name]) => !(name in writerEnvironment.shape))
  expect(readme).toContain(envTable(z.object(Object.fromEntries(besides))))
})

test('the README lists every metric as the catalogue has it', () => {
  expect(readme).toContain(metricTable(writerMetrics))
})
