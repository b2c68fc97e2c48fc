// Who a connection or a request comes from, for limits per address. Behind a proxy everybody has its address,
// so limits by it would hit everybody: a proxy that is trusted says in X-Forwarded-For whom it speaks for,
// and is itself exempt.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export interface ClientAddresses {
  /** Of a connection's other end; undefined for a trusted proxy, which is exempt from limits per address. */
  ofPeer(remoteAddress: string | undefined): string | undefined
  /** Of a request's sender; undefined when only a trusted proxy is known. */
  ofRequest(request: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined
}

/** `10.0.0.0/8`, `fd00::/8`, or an address alone. Undefined: neither. */
export function parseCidr(
  text: string,
): { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return undefined
  const bits = version === 4 ? 32 : 128
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined
  const length = prefix === undefined ? bits : Number(prefix)
  return length > bits ? undefined : { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/**
 * `trusted`: addresses and networks in CIDR notation; entries that are neither are a defect of the caller.
 */
export function createClientAddresses(trusted: readonly string[]): ClientAddresses {
  const proxies = new BlockList()
  for (const text of trusted) {
    const cidr = parseCidr(text)
    if (cidr === undefined) throw new Error(`${text} is no address and no network.`)
    proxies.addSubnet(cidr.address, cidr.prefix, cidr.family)
  }
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  function ofPeer(remoteAddress: string | undefined): string | undefined {
    const address = plainAddress(remoteAddress ?? '')
    return address === undefined || isTrusted(address) ? undefined : subscriberOf(address)
  }

  return {
    ofPeer,
    ofRequest({ socket, headers }) {
      const peer = ofPeer(socket.remoteAddress)
      if (peer !== undefined) return peer
      // From the right: what stands left of the first address that nobody trusts was written by the client.
      const forwarded = headers['x-forwarded-for']
      const chain = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',')
      for (const entry of chain.toReversed()) {
        const address = plainAddress(entry.trim())
        if (address === undefined) return undefined
        if (!isTrusted(address)) return subscriberOf(address)
      }
      return undefined
    },
  }
}

/** Without zone, port, brackets and the IPv6 form of IPv4; undefined when it is no address. */
function plainAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = bare.split('%', 1)[0]!.replace(/^::ffff:(?=\d{1,3}\.)/i, '')
  return isIP(address) === 0 ? undefined : address
}

/** Who has one IPv6 address has the 2^64 of its network: the network is the address that counts. */
function subscriberOf(address: string): string {
  if (isIP(address) === 4) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
