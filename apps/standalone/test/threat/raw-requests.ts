// Creates requests that no client library sends. Each request is complete enough to get a response.
import fc from 'fast-check'

const piece = fc.oneof(
  fc.constantFrom(
    '',
    '/',
    '//',
    '///',
    '.',
    '..',
    '%',
    '%2',
    '%zz',
    '%2f%2f',
    '%00',
    '%ff%fe',
    '\\',
    '@',
    ':',
    '[',
    ']',
    '[::',
    '*',
    ';',
    '|',
  ),
  fc.constantFrom('?', '?query_id=%0a', '?query_id=%e2%80%a8', '?query=%', '?a=%zz&a', '?=&&=', '?user=%00&password=%f0', '#', '#//'),
  fc.constantFrom('api/health', 'health/ready', 'metrics', 'ping', 'v1/traces', 'api/public/health', 'constructor', '__proto__'),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)), maxLength: 12 }),
)

/** Targets of HTTP requests: each of the four valid forms (origin, absolute, authority, asterisk), and invalid targets. */
const targets = fc.oneof(
  fc.constantFrom(
    '//',
    '///',
    '//x',
    '/\\',
    '*',
    '/%',
    '//%5b',
    'http://',
    'http://[',
    'http://a:b@:99999/',
    'https:///',
    'x:',
    ':80',
    '//:0',
    '?',
    '#',
  ),
  fc.array(piece, { minLength: 1, maxLength: 5 }).map(parts => `/${parts.join('')}`),
  fc.array(piece, { minLength: 1, maxLength: 4 }).map(parts => parts.join('') || '/'),
  fc.array(piece, { minLength: 1, maxLength: 3 }).map(parts => `http://${parts.join('')}`),
)

const methods = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'CONNECT', 'M-SEARCH')

const headerLines = fc.constantFrom(
  'Authorization: Basic',
  'Authorization: Basic ////',
  'Authorization: Basic \u00ff\u00fe',
  'Authorization: Bearer x',
  'Content-Encoding: gzip',
  'Content-Encoding: __proto__',
  'Content-Type: multipart/form-data; boundary="',
  'Content-Type: \u00ff/json',
  'Content-Type: application/json',
  'X-ClickHouse-Query-Id: \u00ff\t',
  'X-ClickHouse-User: constructor',
  'Access-Control-Request-Headers: \u00e9\t,,',
  'Origin: //',
  'Upgrade: websocket\r\nConnection: upgrade',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: %%',
  'Expect: 100-continue',
  'Expect: the worst',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'X-Svc-Ingestion-Version: \u00bd',
  `X: ${'y'.repeat(20_000)}`,
)

/** Creates random requests. The server accepts `host` as its own name. */
export const requests = (host: string) =>
  fc
    .record({
      method: methods,
      target: targets,
      version: fc.constantFrom('1.1', '1.1', '1.1', '1.0', '0.9', '2.0', '9'),
      hosts: fc.constantFrom([host], [host], [host], [], ['//'], ['[::', 'a'], ['\u00ff']),
      headers: fc.array(headerLines, { maxLength: 3 }),
    })
    .map(({ method, target, version, hosts, headers }) => {
      const lines = [`${method} ${target} HTTP/${version}`, ...hosts.map(each => `Host: ${each}`), ...headers]
      return `${lines.join('\r\n')}\r\n\r\n`
    })

export const garbage = (host: string) =>
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
    fc.tuple(requests(host), fc.uint8Array({ maxLength: 60 })).map(([text, bytes]) => Buffer.concat([Buffer.from(text, 'latin1'), bytes])),
    fc.tuple(requests(host), requests(host)).map(([one, other]) => Buffer.from(one + other, 'latin1')),
    fc.tuple(requests(host), fc.nat({ max: 100 })).map(([text, cut]) => Buffer.from(text.slice(cut), 'latin1')),
  )
