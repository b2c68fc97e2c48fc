import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from './api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const get = (path: string) => api.send('GET', `/api/public/${path}`, { authorization: null })

test('the page refers only to files of this server, and all of them exist', async () => {
  const page = await get('docs')
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/)
  expect(page.text).not.toMatch(/https?:\/\/|<script>/)
  const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1]!)
  expect(named).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js', 'docs/start.js'])
  for (const path of named) {
    const file = await get(path)
    expect([file.status, file.text.length > 50, file.headers['x-content-type-options']], path).toEqual([200, true, 'nosniff'])
  }
  expect((await get('docs/start.js')).text).toContain("url: 'openapi.json'")
  expect((await get('openapi.json')).json.openapi).toBe('3.1.0')
})

test('no other file of the package is served', async () => {
  for (const path of ['docs/package.json', 'docs/index.html', 'docs/..%2fpackage.json', 'docs/constructor'])
    expect((await get(path)).status, path).toBe(404)
})
