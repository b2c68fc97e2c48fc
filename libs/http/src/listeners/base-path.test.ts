import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createBasePath } from './base-path.ts'

const without = (basePath: string | undefined, url: string) => {
  const request = { url } as IncomingMessage
  createBasePath(basePath)(request)
  return request.url
}

test.each([
  ['/svc', '/svc/api/public/health?a=/svc/b', '/api/public/health?a=/svc/b'],
  ['/svc', '//svc//api/public/otel/v1/traces', '//api/public/otel/v1/traces'],
  ['/svc', 'http://host:1/svc/v1/traces', 'http://host:1/v1/traces'],
  ['/svc', '/svc', '/'],
  ['/svc', '/svc?a', '/?a'],
  ['/svc', '/svc/svc/v1/traces', '/svc/v1/traces'],
  ['/svc', '/svcs/v1/traces', '/svcs/v1/traces'],
  ['/svc', '/api/public/health', '/api/public/health'],
  ['/svc', '/SVC/v1/traces', '/SVC/v1/traces'],
  ['/svc', '*', '*'],
  ['/a.b/c-d', '/a.b/c-d/v1/traces', '/v1/traces'],
  ['/a.b', '/aXb/v1/traces', '/aXb/v1/traces'],
  [undefined, '/svc/v1/traces', '/svc/v1/traces'],
])('with the base path %s, the target %s becomes %s', (basePath, url, meant) => {
  expect(without(basePath, url)).toBe(meant)
})
