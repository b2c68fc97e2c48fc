// Finds the address of a client, for limits per address. If a request comes from a trusted proxy, the client's address is in
// X-Forwarded-For. The limits never apply to the address of the trusted proxy itself.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

export interface ClientAddresses {
  /** Returns the peer's address for the limits. Returns undefined for a trusted proxy, and for an invalid address. */
  ofPeer(remoteAddress: string | undefined): string | undefined
  /** Returns undefined if the request came from a trusted proxy that does not name the client. */
  ofRequest(request: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address. */
export function parseCidr(text: string): readonly [Address, prefix: number] | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

export function createClientAddresses(trusted: readonly string[]): ClientAddresses {
  const proxies = trusted.map(text => {
    const cidr = parseCidr(text)
    if (cidr === undefined) throw new Error(`${text} is neither an address nor a network.`)
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
      // Reads from right to left, because the client could have written everything to the left of the rightmost untrusted address.
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

/** Removes zone, port, brackets, and the prefix of IPv4-mapped addresses. */
function plainAddress(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text
  return parseAddress(bare.split('%', 1)[0]!)
}

/** Rejects shortened, octal and hexadecimal IPv4, which no proxy writes. */
const parseAddress = (text: string): Address | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined

/** A client with an IPv6 address usually controls its whole /64 network, so limits apply to the network. */
const subscriberOf = (address: Address): string =>
  'parts' in address
    ? `${address.parts
        .slice(0, 4)
        .map(group => group.toString(16))
        .join(':')}::/64`
    : address.toString()
