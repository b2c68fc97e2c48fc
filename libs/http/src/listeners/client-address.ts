// Who a connection or a request comes from, for limits per address. Behind a proxy everybody has its address,
// so limits by it would hit everybody: a proxy that is trusted says in X-Forwarded-For whom it speaks for,
// and is itself exempt.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

export interface ClientAddresses {
  /** Of a connection's other end; undefined for a trusted proxy, which is exempt from limits per address. */
  ofPeer(remoteAddress: string | undefined): string | undefined
  /** Of a request's sender; undefined when only a trusted proxy is known. */
  ofRequest(request: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** `10.0.0.0/8`, `fd00::/8`, or an address alone. Undefined: neither. */
export function parseCidr(text: string): readonly [Address, prefix: number] | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

/**
 * `trusted`: addresses and networks in CIDR notation; entries that are neither are a defect of the caller.
 */
export function createClientAddresses(trusted: readonly string[]): ClientAddresses {
  const proxies = trusted.map(text => {
    const cidr = parseCidr(text)
    if (cidr === undefined) throw new Error(`${text} is no address and no network.`)
    return cidr
  })
  const isTrusted = (address: Address) =>
    proxies.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))

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
function plainAddress(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text
  return parseAddress(bare.split('%', 1)[0]!)
}

/** Undefined also for the shortened, octal and hexadecimal forms of IPv4, which no proxy writes. */
const parseAddress = (text: string): Address | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined

/** Who has one IPv6 address has the 2^64 of its network: the network is the address that counts. */
const subscriberOf = (address: Address): string =>
  'parts' in address
    ? `${address.parts
        .slice(0, 4)
        .map(group => group.toString(16))
        .join(':')}::/64`
    : address.toString()
