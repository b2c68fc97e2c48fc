import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeTraceRequest } from '@svc-server/testkit'
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

test.each(Object.keys(goldenCases))('golden row: %s', async name => {
  const [values, facts] = goldenCases[name]!
  const { spans, rejected } = explainRequest(encodeTraceRequest(requestOf(values, facts)), { nowMs: receivedAtMs })
  expect(rejected).toEqual([])
  await expect(`${JSON.stringify(spans.map(shownRow), null, 2)}\n`).toMatchFileSnapshot(
    join(folderOf('hand-made'), `${name.replaceAll(' ', '-')}.json`),
  )
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
