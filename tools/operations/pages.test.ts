// The generated pages must match the dashboards and alerts. With `-u`, the test writes the pages.
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { alerts } from './alerts.ts'
import { faults } from './live/faults.ts'
import { notProvoked, provokedBy, whatProvoked } from './live/seen-live.ts'
import { alertsPage, dashboardsPage } from './pages.ts'

const docs = resolve(import.meta.dirname, '../../docs')

test('docs/dashboards.md lists every dashboard, and docs/runbooks/alerts.md lists every alert', async () => {
  await expect(dashboardsPage()).toMatchFileSnapshot(join(docs, 'dashboards.md'))
  await expect(alertsPage()).toMatchFileSnapshot(join(docs, 'runbooks/alerts.md'))
})

test('a fault provokes every alert, or a reason explains why none does; never both', () => {
  expect([...Object.keys(provokedBy), ...Object.keys(notProvoked)].toSorted()).toEqual(alerts.map(({ name }) => name).toSorted())
})

test('the documented faults are the tested ones', () => {
  const of = faults.flatMap(({ what, alerts, afterwards = [] }) => [...alerts, ...afterwards].map(alert => ({ alert, what })))
  expect({ SvcNotScraped: provokedBy.SvcNotScraped, ...whatProvoked(of) }).toEqual(provokedBy)
})
