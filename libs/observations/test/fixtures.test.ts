// What real clients sent, as rows. The snapshots are reviewed by hand against the tables; a change of one is a change of what users see.
import { inflateBodySync, parseContentEncoding, transcodeJsonRequest } from '@svc-server/otlp'
import { fixtureHeader, type OtlpFixture, otlpFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { type ExplainedSpan, explainRequest } from '../src/index.ts'
import { receivedAtMs } from './mapped-rows.ts'

/** Of the writer and of the moment, or shown as metadata below. */
const unshown = new Set([
  ...['created_at', 'updated_at', 'event_ts', 'blob_storage_file_path', 'event_bytes', 'project_id', 'source', 'is_deleted'],
  ...['metadata_names', 'metadata_values', 'metadata_types'],
])

const isEmpty = (value: unknown) =>
  value === null || value === '' || value === false || (typeof value === 'object' && Object.keys(value).length === 0)

function shown({ columns }: ExplainedSpan) {
  const cells = Object.entries(columns).filter(([name, { value }]) => !unshown.has(name) && !isEmpty(value))
  const names = columns['metadata_names']!.value as readonly string[]
  const values = columns['metadata_values']!.value as readonly string[]
  const types = columns['metadata_types']!.value as readonly number[]
  return {
    ...Object.fromEntries(cells.map(([name, { value, rule }]) => [rule === null ? name : `${name} (${rule})`, value])),
    metadata: names
      .map((name, i) => `${name}: ${['text', 'number', 'boolean', 'json', 'null'][types[i]!]} ${values[i]}`)
      .filter(line => !line.startsWith('resourceAttributes.')),
  }
}

function rowsOf(fixture: OtlpFixture) {
  const header = (name: string) => fixtureHeader(fixture, name) ?? ''
  const body = inflateBodySync(fixture.body, parseContentEncoding(header('content-encoding') || undefined), 1 << 26)
  const bytes = fixture.contentType === 'application/json' ? transcodeJsonRequest(body) : body
  const facts = { nowMs: receivedAtMs, sdkName: header('x-svc-sdk-name'), sdkVersion: header('x-svc-sdk-version') }
  const { spans, rejected, losses } = explainRequest(bytes, facts)
  const lost = Object.fromEntries(Object.entries(losses).filter(([, count]) => count > 0))
  return { spans: spans.map(shown), rejected, lost }
}

test.each(otlpFixtures().map(fixture => [fixture.client, fixture.case, fixture] as const))('%s: %s', async (client, name, fixture) => {
  await expect(`${JSON.stringify(rowsOf(fixture), null, 2)}\n`).toMatchFileSnapshot(`./fixtures/${client}/${name}.json`)
})
