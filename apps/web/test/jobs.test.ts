// Performs the main tasks of users with only the keyboard or with only the mouse.
import { text } from 'node:stream/consumers'
import { sized } from '@svc-server/testkit'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 10
const spike = 30
/** Time of the spike, in minutes before now. */
const spikeAt = 130
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  // Traces whose number ends with 4 or 9 are refunds, which fail.
  const refunds = Array.from({ length: spike }, (_, at) => traceOf(104 + 5 * at, spikeAt))
  await instance.send([...Array.from({ length: traces }, (_, at) => traceOf(at * 5)), ...refunds].flat())
  await instance.readable(2 * (traces + spike))
  await page.goto(instance.link)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const filter = () => page.getByRole('combobox', { name: 'Filter' })
const rowCount = () => page.getByRole('grid').getAttribute('aria-rowcount')
const patient = { timeout: 60_000 }
/** Polls less often, for checks that load the page again. */
const rarely = { ...patient, interval: 500 }
const shows = (rows: number) => expect.poll(rowCount, patient).toBe(String(rows + 1))
const differences = () => page.getByRole('region', { name: 'What differs' })

async function start(): Promise<void> {
  await page.goto('/project/default-project/observations')
  await shows(traces + spike)
}

test('keys select the fullest part and show how it differs', async () => {
  await start()
  await page.keyboard.press('d')
  await differences().getByText('upstream timeout').waitFor()
  await shows(spike)
  await expect.poll(() => differences().getByText('100%, outside 0%').count(), patient).toBeGreaterThan(1)
  expect(page.url()).toMatch(/sel=.*differs=1/)
  await page.reload()
  await differences().getByText('upstream timeout').waitFor()
})

test('a drag and a click of the mouse show how a part differs', async () => {
  await start()
  const bars = await page.getByRole('img', { name: /Observations over time/ }).boundingBox()
  const { x, y, width, height } = bars!
  await page.mouse.move(x + width * 0.8, y + height / 2)
  await page.mouse.down()
  // Each of the 25 bars stands for one hour. The drag ends at bar 23, which is later than the spike.
  await page.mouse.move(x + width * 0.92, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await shows(spike)
  await page.getByRole('button', { name: 'What differs' }).click()
  await differences().getByText('refund').first().waitFor()
  await differences().getByTitle('-name:refund', { exact: true }).click()
  await expect.poll(() => filter().inputValue(), patient).toBe('root:true -name:refund')
  await page.getByRole('button', { name: 'Back to the whole range' }).click()
  await shows(traces)
})

test.each(['latency:>20s', 'input:question'])('the histogram counts the rows of %s', async term => {
  await page.goto(`/project/default-project/observations?q=${encodeURIComponent(`root:true ${term}`)}`)
  await expect
    .poll(async () => {
      const counts = await page
        .getByRole('img', { name: /Observations over time/ })
        .locator('title')
        .allTextContents()
      const counted = counts.reduce((sum, title) => sum + Number(/(\d+) observations/.exec(title)![1]), 0)
      return counted > 0 && String(counted + 1) === (await rowCount())
    }, patient)
    .toBe(true)
})

test('a numeric column sorts by its header and by a key', async () => {
  await start()
  await page.getByRole('button', { name: 'Latency' }).click()
  await page.waitForURL(/sort=-latency/)
  const first = page.getByRole('row').nth(1)
  await expect.poll(() => first.textContent(), patient).toContain(`question ${104 + 5 * (spike - 1)}`)
  await page.getByRole('grid').focus()
  for (const key of ['j', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 's']) await page.keyboard.press(key)
  await page.waitForURL(/sort=latency/)
  await expect.poll(() => first.textContent(), patient).toContain('question 0')
})

test('the bar completes values with their counts', async () => {
  await start()
  await filter().fill('root:true name:ref')
  const option = page.getByRole('option', { name: /name:refund/ })
  await option.waitFor()
  await expect.poll(() => option.textContent(), patient).toBe(`name:refund${spike}`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await shows(spike)
})

test('two rows are marked and compared, by keys', async () => {
  await start()
  for (const key of ['j', 'x', 'j', 'x', 'c']) await page.keyboard.press(key)
  await page.waitForURL(/\/traces\/0{30}01\/compare\/0{30}06/)
  await page.goBack()
})

test('two rows are marked by the mouse and saved as a file', async () => {
  await start()
  for (const at of [0, 1]) await page.getByRole('checkbox', { name: 'Mark' }).nth(at).click()
  await page.getByText('2 marked').waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSONL' }).click()])
  const lines = (await text(await file.createReadStream())).trim().split('\n')
  expect(lines.map(line => (JSON.parse(line) as { readonly input: string }).input)).toEqual(['question 0', 'question 5'])
  await page.getByRole('checkbox', { name: 'Only the marked rows' }).click()
  const [all] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  expect(all.suggestedFilename()).toBe('observations.csv')
  expect((await text(await all.createReadStream())).match(/question \d+/g)).toHaveLength(traces + spike)
})

test('roots show the cost of their traces, and columns of metadata and scores can be added', async () => {
  await start()
  const first = page.getByRole('row').nth(1)
  await first.getByText('$0.2500', { exact: true }).waitFor()
  expect(await first.getByText('$0.2500', { exact: true }).getAttribute('title')).toBe(
    '$0.2500 in all 2 observations of the trace, $0.00 of this one',
  )
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('combobox', { name: 'Metadata path' }).fill('plan')
  await page.keyboard.press('Enter')
  await page.waitForURL(/cols=.*metadata\.plan/)
  await page.keyboard.press('Escape')
  await first.getByText('free').waitFor()
  await first.getByText('free').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Only this' }).click()
  await expect.poll(() => filter().inputValue(), patient).toBe('root:true metadata.plan:free')
})

test('marks are in the address; marked rows are scored and bookmarked, and deletion requires typing their number', async () => {
  await start()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('2 marked').waitFor()
  await page.reload()
  await page.getByText('2 marked').waitFor()
  await page.getByRole('button', { name: 'Act on rows' }).click()
  await page.getByRole('textbox', { name: 'Score name' }).fill('checked')
  await page.getByRole('textbox', { name: 'Value' }).fill('1')
  await page.keyboard.press('Enter')
  await page.getByText('2 of 2 done').waitFor()
  await page.getByRole('button', { name: 'Bookmark', exact: true }).click()
  await page.getByText('2 of 2 done').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const sure = page.getByRole('textbox', { name: /This deletes 2 traces/ })
  await sure.fill('3')
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).last().isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.goto('/project/default-project/observations?cols=time,name,score.checked')
  const checked = page.locator('[data-column="score.checked"]').getByText('1', { exact: true })
  await expect
    .poll(async () => {
      const [answer] = await Promise.all([page.waitForResponse(/rows\/more/), page.reload()])
      return ((await answer.json()) as { readonly scores: readonly unknown[] }).scores.length
    }, rarely)
    .toBe(2)
  await expect.poll(() => checked.count(), patient).toBe(2)
})

test('on any page, one command goes to the trace of a pasted id', async () => {
  await page.goto('/project/default-project/users')
  await page.getByRole('heading', { name: 'Users' }).waitFor()
  await page.keyboard.press('Control+k')
  await expect.poll(() => page.getByRole('combobox', { name: 'Go to or run' }).count(), patient).toBe(1)
  await page.keyboard.insertText('00000000000000000000000000000006')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/traces\/0{31}6/)
})

test('keys show more rows like this one, or exclude them', async () => {
  await start()
  for (const key of ['j', 'ArrowRight', 'v', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => filter().inputValue(), patient).toMatch(/^root:true name:(answer|refund)$/)
  await start()
  for (const key of ['j', 'ArrowRight', 'v', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => filter().inputValue(), patient).toMatch(/^root:true -name:(answer|refund)$/)
})

test('values of the panel and of a trace have the menu, too', async () => {
  const trace = '6'.padStart(32, '0')
  const choose = async (value: string, item: string) => {
    await page.getByRole('button', { name: value, exact: true }).first().click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const filtered = (by: string) => expect.poll(() => filter().inputValue(), patient).toBe(by)
  await page.goto(`/project/default-project/observations?peek=${trace}:000000000000000b`)
  await choose('user-2', 'Only this')
  await filtered('root:true user:user-2')
  await page.goto(`/project/default-project/traces/${trace}?o=000000000000000c`)
  await choose('user-2', 'None of this')
  await filtered('root:true -user:user-2')
  // Only an observation below the root has a model. The filter must therefore not be limited to roots.
  await page.goto(`/project/default-project/traces/${trace}?o=000000000000000c`)
  await choose('gpt-5', 'Only this')
  await filtered('model:gpt-5')
  await shows(traces + spike)
})

test('the mouse follows one user to a session, which reads as a conversation', async () => {
  await start()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('link', { name: 'session-1' }).click()
  await page.getByText('question 5', { exact: true }).waitFor()
})

test('a view is saved under a name and opens its address', async () => {
  await page.goto('/project/default-project/observations?q=name:refund&sort=-latency')
  await shows(spike)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name of this view' }).fill('slow refunds')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'slow refunds', exact: true }).waitFor()
  await start()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'slow refunds', exact: true }).click()
  await page.waitForURL(/observations\?q=name:refund&sort=-latency$/)
  await shows(spike)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'Delete the view slow refunds' }).click()
  await page.getByText('No view has been saved yet.').waitFor()
})

test('a saved view appears even if the list was read before the save and arrives after it', async () => {
  const isSaved = Promise.withResolvers<void>()
  const list = /\/projects\/[^/]+\/views$/
  await page.route(list, async route => {
    const isRead = route.request().method() === 'GET'
    const response = await route.fetch()
    if (isRead) await isSaved.promise
    await route.fulfill({ response })
    isSaved.resolve()
  })
  await start()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name of this view' }).fill('late list')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'late list', exact: true }).waitFor()
  await page.unroute(list)
  await page.getByRole('button', { name: 'Delete the view late list' }).click()
  await page.getByText('No view has been saved yet.').waitFor()
})

test('a key copies the link to the shown page', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/project/default-project/observations?q=name:refund&sort=-latency')
  await shows(spike)
  await page.keyboard.press('y')
  await page.getByText('The link to this page is copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
})

/** Counts the user's actions. Every press, click and paste is one action. */
function counted() {
  let actions = 0
  return {
    count: () => actions,
    async press(key: string): Promise<void> {
      actions += 1
      await page.keyboard.press(key)
    },
    async click(what: Locator): Promise<void> {
      actions += 1
      await what.click()
    },
    async paste(text: string): Promise<void> {
      actions += 1
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate(given => navigator.clipboard.writeText(given), text)
      await page.keyboard.press('Control+v')
    },
  }
}

test.each([
  ['an observation that a filter and a range hide', 'observations?q=name:refund&t=30m', '000000000000000b', /\/traces\/0{31}6\?o=0{15}b$/],
  ['a trace, on another page', 'users', '00000000000000000000000000000006', /\/traces\/0{31}6/],
  ['the observation of a traceparent', 'scores', `00-${'6'.padStart(32, '0')}-000000000000000c-01`, /\/traces\/0{31}6\?o=0{15}c$/],
])('one paste outside of fields goes to %s', async (_, place, id, expected) => {
  await page.goto(`/project/default-project/${place}`)
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  const { paste, count } = counted()
  await paste(id)
  await page.waitForURL(expected)
  await page.locator('[role=row][aria-selected=true]').waitFor()
  expect(count()).toBe(1)
})

const waysToLive: readonly (readonly [way: 'key' | 'mouse', at: number])[] = [
  ['key', 900],
  ['mouse', 905],
]
// The quick run omits the key `l` here, because app.test.ts presses this key in every run.
test.each(sized(waysToLive, waysToLive.slice(1)))('one action shows what arrives by itself: %s', async (way, at) => {
  await page.goto('/project/default-project/observations')
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  const { press, click, count } = counted()
  const live = page.getByRole('button', { name: 'Live' })
  await Promise.all([page.waitForResponse(/rows\/tail/), way === 'key' ? press('l') : click(live)])
  await instance.send(traceOf(at, 0))
  await page.getByRole('gridcell', { name: `question ${at}`, exact: true }).waitFor()
  expect(count()).toBe(1)
})

test.each(['key', 'mouse'] as const)('one action reads the session of a row as a conversation: %s', async way => {
  await page.goto('/project/default-project/observations?q=root:true session:session-1')
  await page.getByRole('gridcell', { name: 'question 5', exact: true }).waitFor()
  const { press, click, count } = counted()
  await (way === 'key' ? press('S') : click(page.getByTitle('Session session-1 as a conversation').first()))
  await page.waitForURL(/\/sessions\/session-1/)
  await page.getByText('question 5', { exact: true }).waitFor()
  expect(count()).toBe(1)
})

test('live rows wait while the pointer is on the table, until the pointer leaves or the table is removed', async () => {
  await page.goto('/project/default-project/observations?live=1')
  const arrivedRow = (at: number) => page.getByRole('gridcell', { name: `question ${at}`, exact: true })
  const waits = page.getByRole('button', { name: '1 new, paused' })
  await arrivedRow(0).hover()
  await instance.send(traceOf(910, 0))
  await waits.waitFor()
  expect(await arrivedRow(910).count()).toBe(0)
  await page.mouse.move(0, 0)
  await arrivedRow(910).waitFor()
  await arrivedRow(0).hover()
  await filter().fill(`root:true trace:${(916).toString(16).padStart(32, '0')}`)
  await filter().press('Enter')
  await page.getByText('No observation matches').waitFor()
  await instance.send(traceOf(915, 0))
  await arrivedRow(915).waitFor()
})

test('rows that the table already shows do not count as new rows, even if they arrive while the pointer is on the table', async () => {
  const isHovered = Promise.withResolvers<void>()
  await page.route(/rows\/tail/, async route => {
    await isHovered.promise
    await route.continue()
  })
  await page.goto('/project/default-project/observations?live=1')
  await page.getByRole('gridcell', { name: 'question 0', exact: true }).hover()
  isHovered.resolve()
  await instance.send(traceOf(920, 0))
  await page.getByRole('button', { name: '1 new, paused' }).waitFor()
  await page.unroute(/rows\/tail/)
  await page.mouse.move(0, 0)
})

test('no request failed or went to another origin', () => {
  expect(watched.complaints).toEqual([])
})
