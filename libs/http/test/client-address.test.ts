import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClientAddresses, parseCidr } from '../src/listeners/index.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as never

describe('without trusted proxies', () => {
  const { ofPeer, ofRequest } = createClientAddresses([])
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, undefined],
  ])('%s is %s', (peer, expected) => expect(ofPeer(peer)).toBe(expected))

  test('ignores the X-Forwarded-For header of a client', () => expect(ofRequest(request('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1'))
})

describe('behind 10.0.0.0/8 and fd00::/8', () => {
  const { ofPeer, ofRequest } = createClientAddresses(['10.0.0.0/8', 'fd00::/8', '192.0.2.9'])
  test.each(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '192.0.2.9'])('%s is exempt', peer => expect(ofPeer(peer)).toBeUndefined())
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['203.0.113.5, 198.51.100.7, 10.9.9.9, 192.0.2.9', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['[2001:db8::5]:4711', '2001:db8:0:0::/64'],
    ['10.9.9.9', undefined],
    ['203.0.113.5, unknown', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('X-Forwarded-For %s means %s', (forwarded, expected) => expect(ofRequest(request('10.0.0.1', forwarded))).toBe(expected))
})

test('never throws, and ignores everything that a client writes left of its own address', () => {
  const { ofRequest } = createClientAddresses(['10.0.0.0/8'])
  fc.assert(fc.property(fc.string(), text => void ofRequest(request('10.0.0.1', text))))
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6())), lies => {
      expect(ofRequest(request('10.0.0.1', [...lies, '198.51.100.7', '10.2.2.2'].join(', ')))).toBe('198.51.100.7')
    }),
  )
})

test.each(['10.0.0.0/33', 'fd00::/129', 'x', '10.0.0.0/8/8', '10.0.0/8', '', '10.0.0.0/'])('rejects %j as a network', text =>
  expect(parseCidr(text)).toBeUndefined(),
)
