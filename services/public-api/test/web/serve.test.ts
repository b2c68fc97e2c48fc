import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readWebFiles } from '../../src/web/files.ts'
import { startApi, type TestApi } from '../api.ts'

const directory = await temporaryDirectory('svc-web-')
let api: TestApi
beforeAll(async () => {
  mkdirSync(join(directory.path, 'assets'))
  writeFileSync(join(directory.path, 'index.html'), '<!doctype html><html><head><title>svc</title></head></html>')
  writeFileSync(join(directory.path, 'assets/index-1.js'), 'plain')
  writeFileSync(join(directory.path, 'assets/index-1.js.br'), 'brotli')
  writeFileSync(join(directory.path, 'assets/index-1.js.gz'), 'gzip')
  writeFileSync(join(directory.path, 'secret.json'), '{}')
  api = await startApi({ env: { SVC_WEB_DIR: directory.path, SVC_BASE_PATH: '/a/b' } })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await directory.remove()
})

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => api.send('GET', path, { authorization: null, headers })

test.each(['/', '/a/b/', '/project/p/observations?q=root:true', '/sign-in', '/setup?token=x', '/a/b/project/p/traces/t'])(
  '%s returns the page with its base, which loads only from its own origin',
  async path => {
    const { status, headers, text } = await get(path)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-cache'])
    expect(text).toContain('<base href="/a/b/" />')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|\*|http/)
    // Other origins may read only responses of the API, and not pages of the web app.
    expect(headers['access-control-allow-origin']).toBeUndefined()
  },
)

test('a hashed file is sent in the best encoding that the client accepts, and may be cached forever', async () => {
  const forms = await Promise.all(
    ['gzip, deflate, br', 'gzip', 'identity'].map(each => get('/assets/index-1.js', { 'accept-encoding': each })),
  )
  expect(forms.map(({ text, headers }) => [text, headers['content-encoding']])).toEqual([
    ['brotli', 'br'],
    ['gzip', 'gzip'],
    ['plain', undefined],
  ])
  expect(forms[0]!.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
})

test.each(['/assets/index-2.js', '/secret.json', '/assets/../secret.json', '/projects', '/index.html', '/api/public/nothing', '/api'])(
  'the API responds to %s in JSON',
  async path => {
    const { status, headers } = await get(path)
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  },
)

test('the web app serves only GET and HEAD', async () => {
  expect((await api.send('POST', '/sign-in', { authorization: null })).status).toBe(404)
  const head = await api.send('HEAD', '/sign-in', { authorization: null })
  expect([head.status, head.text]).toEqual([200, ''])
})

test('a directory without a build is refused with its path', () => {
  expect(() => readWebFiles('/nowhere')).toThrow('SVC_WEB_DIR: /nowhere has no index.html.')
})
