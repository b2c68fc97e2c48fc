import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeTraceRequest, otlpFixtures } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../../src/block/explain.ts'
import { mappingVersion } from '../../src/block/mapping-version.ts'
import { receivedAtMs, requestOf } from '../mapped-rows.ts'
import { goldenCases } from './cases.ts'
import { folderOf, goldenFiles } from './golden-files.ts'
import { shownRow } from './shown-row.ts'
import { goldenVerdict } from './verdict.ts'
import versions from './versions.json' with { type: 'json' }

/** Returns one hash of all golden rows, in the order of the file names. */
function goldenHash(): string {
  const hash = createHash('sha256')
  for (const { name, path } of goldenFiles()) hash.update(`${name}\0${readFileSync(path, 'utf8')}\0`)
  return hash.digest('hex')
}

const fileOfCase = (name: string) => `${name.replaceAll(' ', '-')}.json`

test.each(Object.keys(goldenCases))('golden row: %s', async name => {
  const [values, facts] = goldenCases[name]!
  const { spans, rejected } = explainRequest(encodeTraceRequest(requestOf(values, facts)), { nowMs: receivedAtMs })
  expect(rejected).toEqual([])
  await expect(`${JSON.stringify(spans.map(shownRow), null, 2)}\n`).toMatchFileSnapshot(join(folderOf('hand-made'), fileOfCase(name)))
})

// Vitest writes a new snapshot after all tests of the file. A test of the same run therefore cannot compare the new snapshot.
test('every case has golden rows, and all golden rows belong to a case', () => {
  const files = goldenFiles().map(({ name }) => name)
  const recorded = otlpFixtures().map(({ client, case: name }) => `${client}/${name}.json`)
  const wanted = [...Object.keys(goldenCases).map(name => `hand-made/${fileOfCase(name)}`), ...recorded]
  const missing = wanted.filter(name => !files.includes(name)).map(name => `${name} is new: read what this run writes, and run again`)
  const strange = files.filter(name => !wanted.includes(name)).map(name => `${name} is no case’s: hand-made ones are made from cases.ts`)
  expect([...missing, ...strange]).toEqual([])
})

test('the golden rows match the version of the mapping', () => {
  expect(goldenVerdict(versions, mappingVersion, goldenHash())).toBeUndefined()
})

describe('the verdict', () => {
  const known = { '1': 'old', '2': 'now' }
  test('accepts rows that match their version', () => expect(goldenVerdict(known, '2', 'now')).toBeUndefined())
  test('reports rows that changed under the same version', () => {
    expect(goldenVerdict(known, '2', 'new')).toContain("raise mappingVersion to '3'")
  })
  test('reports rows of a reverted version', () => expect(goldenVerdict(known, '1', 'now')).toContain('no longer those of version 1'))
  test('reports a new version whose rows are not listed yet', () =>
    expect(goldenVerdict(known, '3', 'new')).toContain('add the line "3": "new"'))
})
