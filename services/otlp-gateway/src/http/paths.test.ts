import { describe, expect, test } from 'vitest'
import { endpointOf, queryParameter, rightPath } from './paths.ts'

describe('endpoint of a request target', () => {
  test.each([
    ['/v1/traces', 'traces'],
    ['/api/public/otel/v1/traces', 'traces'],
    ['//api/public/otel/v1/traces', 'traces'],
    ['/api//public///otel/v1/traces', 'traces'],
    ['/api/public/otel/v1/traces/', 'traces'],
    ['//v1/traces//', 'traces'],
    ['/v1/traces?a=b', 'traces'],
    ['/v1/traces/?a=/v1/logs', 'traces'],
    ['/v1/metrics', 'metrics'],
    ['/api/public/otel/v1/metrics', 'metrics'],
    ['/v1/logs', 'logs'],
    ['/api/public/health?failIfDatabaseUnavailable=true', 'health'],
    ['/api/public/ready', 'ready'],
    ['http://127.0.0.1:4318/v1/traces', 'traces'],
    ['https://example.org/api/public/otel/v1/traces?a=b', 'traces'],
    ['http://example.org', undefined],
    ['/', undefined],
    ['', undefined],
    ['//', undefined],
    ['/v1/traces/x', undefined],
    ['/V1/traces', undefined],
    ['/api/public/otel', undefined],
  ])('%s → %s', (target, endpoint) => expect(endpointOf(target)).toBe(endpoint))

  test.each([
    ['/', '/api/public/otel/v1/traces'],
    ['/api/public/otel', '/api/public/otel/v1/traces'],
    ['/api/public/otel/v1/traces/v1/traces', '/api/public/otel/v1/traces'],
    ['/api/public/otel/v1/v1/metrics', '/api/public/otel/v1/metrics'],
  ])('a wrong path %s gets the suggestion %s', (target, path) => expect(rightPath(target)).toBe(path))

  test('decodes query parameters and does not search the path for them', () => {
    expect(queryParameter('/x?failIf=tr%75e', 'failIf')).toBe('true')
    expect(queryParameter('/x?other=true', 'failIf')).toBeUndefined()
    expect(queryParameter('/failIf=true', 'failIf')).toBeUndefined()
  })
})
