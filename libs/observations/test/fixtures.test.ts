// Compares the rows of recorded requests with snapshots. Developers have checked these snapshots against the mapping tables. A changed
// snapshot means that users see different rows.
import { join } from 'node:path'
import { fixtureHeader, type OtlpFixture, otlpFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { folderOf } from './golden/golden-files.ts'
import { shownRow } from './golden/shown-row.ts'
import { protobufOf, receivedAtMs } from './mapped-rows.ts'

function rowsOf(fixture: OtlpFixture) {
  const header = (name: string) => fixtureHeader(fixture, name) ?? ''
  const facts = { nowMs: receivedAtMs, sdkName: header('x-svc-sdk-name'), sdkVersion: header('x-svc-sdk-version') }
  const { spans, rejected, losses } = explainRequest(protobufOf(fixture), facts)
  const lost = Object.fromEntries(Object.entries(losses).filter(([, count]) => count > 0))
  return { spans: spans.map(shownRow), rejected, lost }
}

test.each(otlpFixtures().map(fixture => [fixture.client, fixture.case, fixture] as const))('%s: %s', async (client, name, fixture) => {
  await expect(`${JSON.stringify(rowsOf(fixture), null, 2)}\n`).toMatchFileSnapshot(join(folderOf(client), `${name}.json`))
})
