// Tests the menus of metadata values, metadata keys and scores. The filter bar must complete metadata keys and the names of scores.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 6
const first = '1'.padStart(32, '0')
const root = '1'.padStart(16, '0')
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

/**
 * Returns the spans of a trace. The metadata of the first span contains a text, a number, a boolean, and an integer that is too large for
 * JavaScript.
 */
const spansOf = (at: number) => {
  const [span, ...rest] = traceOf(at) as readonly { readonly attributes: readonly object[] }[]
  const metadata = { 'my plan': at % 2 === 0 ? 'silver' : 'gold', attempt: at, beta: at < 2, big: '9007199254740993' }
  const attribute = (key: string, value: object) => ({ key: `svc.observation.metadata.${key}`, value })
  const attributes = [
    ...span!.attributes,
    attribute('my plan', { stringValue: metadata['my plan'] }),
    attribute('attempt', { intValue: String(metadata.attempt) }),
    attribute('beta', { boolValue: metadata.beta }),
    attribute('big', { intValue: metadata.big }),
  ]
  return [{ ...span, attributes }, ...rest]
}

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await instance.send(Array.from({ length: traces }, (_, at) => spansOf(at)).flat())
  await instance.readable(2 * traces)
  const headers = { authorization: instance.authorization, 'content-type': 'application/json' }
  const scores = [
    { name: 'tone', value: 'kind', traceId: first, observationId: root, dataType: 'CATEGORICAL' },
    { name: 'accuracy', value: 0.5, traceId: first, observationId: root },
    { name: 'whole', value: 1, traceId: first },
  ]
  for (const score of scores) {
    const response = await fetch(`${instance.url}/api/public/scores`, { method: 'POST', headers, body: JSON.stringify(score) })
    if (!response.ok) throw new Error(await response.text())
  }
  while (Number(await instance.sql('SELECT count() FROM scores')) < scores.length) await new Promise(resolve => setTimeout(resolve, 200))
  await page.goto(instance.link)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const patient = { timeout: 60_000 }
const observations = '/project/default-project/observations'
const filter = () => page.getByRole('combobox', { name: 'Filter' })
const shows = (rows: number) => expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount'), patient).toBe(String(rows + 1))
const filtered = (by: string) => expect.poll(() => filter().inputValue(), patient).toBe(by)
const column = (id: string) => page.locator(`[data-column="${id}"]`)
const choose = (item: string) => page.getByRole('menuitem', { name: item, exact: true }).click()
const copied = () => page.evaluate(() => navigator.clipboard.readText())

const places = {
  panel: [`${observations}?q=root:true&peek=${first}:${root}`, 'complementary', 'Observation'],
  trace: [`/project/default-project/traces/${first}?o=${root}`, 'region', 'Details'],
} as const

test.each(Object.entries(places))('metadata has the menu by its type: %s', async (place, [path, role, name]) => {
  const before = place === 'panel' ? 'root:true ' : ''
  const open = async (value: string) => {
    await page.goto(path)
    await page.getByRole(role, { name }).getByRole('button', { name: value, exact: true }).first().click()
  }
  for (const [value, item, term, rows] of [
    ['silver', 'Only this', 'metadata."my plan":silver', 3],
    ['silver', 'None of this', '-metadata."my plan":silver', place === 'panel' ? 3 : 9],
    ['0', 'Only this', 'metadata.attempt:0', 1],
    ['true', 'Only this', 'metadata.beta:true', 2],
    ['9007199254740993', 'Only this', 'metadata.big:"9007199254740993"', traces],
    ['beta', 'Only this', 'has:metadata.beta', traces],
  ] as const) {
    await open(value)
    await choose(item)
    await filtered(`${before}${term}`)
    await shows(rows)
  }
  await open('silver')
  await choose('Copy path')
  expect(await copied()).toBe('metadata."my plan"')
  await open('silver')
  await choose('Add as column')
  await column('metadata.my%20plan').getByText('silver', { exact: true }).first().waitFor()
})

test.each(Object.entries(places))('scores have the menu: %s', async (place, [path, role, name]) => {
  const before = place === 'panel' ? 'root:true ' : ''
  for (const [value, term] of [
    ['kind', 'score.tone:kind'],
    ['0.5', 'score.accuracy:0.5'],
    ['1', 'traceScore.whole:1'],
  ] as const) {
    await page.goto(path)
    const scores = page.getByRole(role, { name }).getByRole('region', { name: 'Scores' })
    await scores.getByRole('button', { name: value, exact: true }).click()
    await choose('Only this')
    await filtered(`${before}${term}`)
    await shows(term.startsWith('trace') && place === 'trace' ? 2 : 1)
  }
})

test('the menu of a value in a metadata or score column filters by the type of the value', async () => {
  const cells = async (id: string, text: string) => {
    await page.goto(`${observations}?q=root:true&cols=time,name,metadata.attempt,metadata.beta,score.tone,score.whole`)
    await column(id).getByText(text, { exact: true }).first().click({ button: 'right' })
  }
  for (const [id, text, item, term, rows] of [
    ['metadata.attempt', '3', 'Only this', 'metadata.attempt:3', 1],
    ['metadata.attempt', '3', 'None of this', '-metadata.attempt:"3"', traces - 1],
    ['metadata.beta', 'false', 'Only this', 'metadata.beta:false', traces - 2],
    ['score.tone', 'kind', 'None of this', '-score.tone:kind', traces - 1],
    ['score.whole', '1', 'Only this', 'traceScore.whole:1', 1],
  ] as const) {
    await cells(id, text)
    await choose(item)
    await filtered(`root:true ${term}`)
    await shows(rows)
  }
  await cells('metadata.beta', 'false')
  await choose('Hide column')
  await page.waitForURL(/cols=time,name,metadata\.attempt,score\.tone,score\.whole/)
})

test('the bar completes fields with keys, and the names of metadata and scores', async () => {
  await page.goto(observations)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  const option = (name: string) => page.getByRole('option', { name, exact: false })
  const completed = async (typed: string, says: RegExp, token: string) => {
    await filter().fill(typed)
    const found = page.getByRole('option').filter({ hasText: says })
    await found.first().waitFor()
    await page.keyboard.press('Tab')
    expect(await filter().inputValue()).toBe(token)
  }
  await completed('meta', /^metadata\./, 'metadata.')
  await completed('metadata.atte', /^metadata\.attempt:/, 'metadata.attempt:')
  await completed('metadata.my', /^metadata\."my plan":/, 'metadata."my plan":')
  await completed('score.ton', /^score\.tone:/, 'score.tone:')
  await completed('-traceScore.w', /^-traceScore\.whole:/, '-traceScore.whole:')
  await filter().fill('score.nothing')
  await expect.poll(() => option('score.').count(), patient).toBe(0)
})

test('no request failed or went to another origin', () => {
  expect(watched.complaints).toEqual([])
})
