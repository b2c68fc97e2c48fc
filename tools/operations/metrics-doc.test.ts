// docs/metrics.md must match the code. With `-u`, the test writes the file.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { services, storedNames } from './catalog.ts'
import { metricsPage } from './metrics-doc.ts'

test('docs/metrics.md lists every metric of every service', async () => {
  await expect(metricsPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/metrics.md'))
})

test('a name means one thing, and stored names do not collide', async () => {
  const definitions = services.flatMap(({ metrics }) => Object.values(metrics))
  const byName = new Map<string, string>()
  for (const definition of definitions) {
    const text = JSON.stringify(definition)
    expect([definition.name, byName.get(definition.name) ?? text]).toEqual([definition.name, text])
    byName.set(definition.name, text)
  }
  const stored = await storedNames()
  const histograms = definitions.filter(({ type }) => type === 'histogram').length
  expect(stored.size).toBeGreaterThan(byName.size + 2 * histograms)
})
