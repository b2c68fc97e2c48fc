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

/** Of all golden rows, by the names of their files: those of recorded clients and the hand-made ones. */
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

// A snapshot that is new is written when its tests have ended: until then the version cannot be held against
// it.
test('every case has its golden rows, and all golden rows are some case’s', () => {
  const files = goldenFiles().map(({ name }) => name)
  const recorded = otlpFixtures().map(({ client, case: name }) => `${client}/${name}.json`)
  const wanted = [...Object.keys(goldenCases).map(name => `hand-made/${fileOfCase(name)}`), ...recorded]
  const missing = wanted.filter(name => !files.includes(name)).map(name => `${name} is new: read what this run writes, and run again`)
  const strange = files.filter(name => !wanted.includes(name)).map(name => `${name} is no case’s: hand-made ones are made from cases.ts`)
  expect([...missing, ...strange]).toEqual([])
})

test('the golden rows are those of the version of the mapping', () => {
  expect(goldenVerdict(versions, mappingVersion, goldenHash())).toBeUndefined()
})

describe('the verdict', () => {
  const known = { '1': 'old', '2': 'now' }
  test('rows of their version', () => expect(goldenVerdict(known, '2', 'now')).toBeUndefined())
  test('rows that changed under the same version', () => {
    expect(goldenVerdict(known, '2', 'new')).toContain("raise mappingVersion to '3'")
  })
  test('rows of a version that was taken back', () => expect(goldenVerdict(known, '1', 'now')).toContain('no longer those of version 1'))
  test('a new version whose rows nobody wrote down', () => expect(goldenVerdict(known, '3', 'new')).toContain('add the line "3": "new"'))
})
