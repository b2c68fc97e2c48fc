// Pages for people say what is there. With `-u` this test writes them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { alerts } from './alerts.ts'
import { dashboards } from './dashboards/index.ts'
import { escaped } from './live/draw-panel.ts'
import { faults } from './live/faults.ts'
import { notProvoked, provokedBy, whatProvoked } from './live/seen-live.ts'
import { alertsPage, dashboardsPage, picturesFolder } from './pages.ts'

const docs = resolve(import.meta.dirname, '../../docs')

test('docs/dashboards.md has every dashboard, docs/runbooks/alerts.md every alert', async () => {
  await expect(dashboardsPage()).toMatchFileSnapshot(join(docs, 'dashboards.md'))
  await expect(alertsPage()).toMatchFileSnapshot(join(docs, 'runbooks/alerts.md'))
})

test('every alert is brought about by a fault, or it is said why not; never both', () => {
  expect([...Object.keys(provokedBy), ...Object.keys(notProvoked)].toSorted()).toEqual(alerts.map(({ name }) => name).toSorted())
})

test('the faults are those that are said', () => {
  const of = faults.flatMap(({ what, alerts, afterwards = [] }) => [...alerts, ...afterwards].map(alert => ({ alert, what })))
  expect({ SvcNotScraped: provokedBy.SvcNotScraped, ...whatProvoked(of) }).toEqual(provokedBy)
})

test('a picture is of a dashboard, small, and shows no panel that the dashboard has not', () => {
  const files = readdirSync(picturesFolder)
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const svg = readFileSync(join(picturesFolder, file), 'utf8')
    const { panels } = dashboards.find(({ slug }) => `${slug}.svg` === file)!
    const questions = [...svg.matchAll(/font-size="14"[^>]*>([^<]+)</g)].map(([, question]) => question)
    expect([file, questions]).toEqual([file, panels.map(({ question }) => escaped(question)).filter(each => questions.includes(each))])
    expect([file, svg.length < 100_000]).toEqual([file, true])
  }
})
