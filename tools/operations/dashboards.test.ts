// Dashboards may query only metrics that exist, and every panel must have a query. With `-u`, the test writes the JSON files.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { faultsOf, storedNames, strangeValuesOf } from './catalog.ts'
import { dashboards } from './dashboards/index.ts'
import { grafanaJson } from './grafana.ts'

const folder = resolve(import.meta.dirname, '../../deploy/helm/files/dashboards')
let names: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  names = await storedNames()
})

test.each(dashboards)('the chart has the generated JSON of $title', async dashboard => {
  await expect(grafanaJson(dashboard)).toMatchFileSnapshot(join(folder, `${dashboard.slug}.json`))
})

test('the chart has exactly the generated dashboards', () => {
  expect(readdirSync(folder).sort()).toEqual(dashboards.map(({ slug }) => `${slug}.json`).sort())
})

const panels = dashboards.flatMap(({ slug, panels }) => panels.map(panel => ({ name: `${slug}: ${panel.question}`, ...panel })))

test.each(panels)('$name', ({ question, queries }) => {
  expect(question).toMatch(/^[A-Z].*\?$/)
  for (const { expr, legend } of queries) {
    const plain = expr.replaceAll(/\$__\w+/g, '5m')
    expect([...faultsOf(plain, names), ...strangeValuesOf(plain)]).toEqual([])
    // The result of a sum has only the labels that the sum names. A legend with any other label would be empty.
    for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g))
      expect([legend, expr]).toEqual([legend, expect.stringMatching(new RegExp(`by \\([^)]*\\b${label}\\b`))])
  }
})
