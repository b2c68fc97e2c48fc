// Wraps a client in a proxy that records its calls. A proxy has every method of the object that it wraps, whatever version the client has.
import type { SvcConfig } from './config.ts'
import { observeCall } from './observe-call.ts'
import { hasMethod } from './values.ts'
import { checkVersion } from './version.ts'

type Callable = (...args: readonly unknown[]) => unknown

const isCallable = (value: unknown): value is Callable => typeof value === 'function'

/** True if the value is a part of the client, such as `chat.completions`, and not data. */
function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) && !hasMethod(value, 'then')
}

function nameOfClass(sdk: object): string {
  const ofClass: unknown = sdk.constructor
  return isCallable(ofClass) ? ofClass.name : ''
}

function isOfObjects(name: PropertyKey): boolean {
  return typeof name === 'symbol' || name in Object.prototype
}

/** True if the property's value cannot change. JavaScript requires that a proxy returns exactly this value. */
function isFixed(target: object, name: PropertyKey): boolean {
  const descriptor = Reflect.getOwnPropertyDescriptor(target, name)
  return descriptor?.configurable === false && descriptor.writable === false
}

interface Level {
  readonly config: SvcConfig
  nameOf(property: string): string
  returned(result: unknown): unknown
}

function observeMethod(target: object, method: Callable, property: string, { config, nameOf, returned }: Level): Callable {
  return new Proxy(method, {
    // The method runs on the client's own object instead of the proxy: the object can have private fields, and its internal calls must not
    // be recorded a second time.
    apply: (_, __, args: unknown[]) => returned(observeCall(() => Reflect.apply(method, target, args), args, nameOf(property), config)),
  })
}

function observePart<T extends object>(part: T, level: Level): T {
  const observed = new Map<string, readonly [value: unknown, proxy: unknown]>()
  function observe(value: unknown, property: string): unknown {
    if (isCallable(value)) return observeMethod(part, value, property, level)
    const name = level.nameOf(property)
    return isPart(value) ? observePart(value, { config: level.config, nameOf: () => name, returned: result => result }) : value
  }
  return new Proxy(part, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (isOfObjects(property) || isFixed(target, property)) return value
      const known = observed.get(property as string)
      if (known && known[0] === value) return known[1]
      const proxy = observe(value, property as string)
      if (proxy !== value) observed.set(property as string, [value, proxy])
      return proxy
    },
  })
}

/**
 * Returns a client that records every call as a generation: the request, the reply, tokens by kind, times and errors. The application gets
 * replies, streams and errors unchanged.
 */
export function observeOpenAI<T extends object>(sdk: T, config: SvcConfig = {}): T {
  checkVersion(sdk)
  const className = nameOfClass(sdk)
  const prototype: unknown = Object.getPrototypeOf(sdk)
  function returned(result: unknown): unknown {
    // `withOptions` returns a new client.
    const isClient = isPart(result) && prototype !== Object.prototype && Object.getPrototypeOf(result) === prototype
    return isClient ? observeOpenAI(result, config) : result
  }
  const nameOf = (property: string): string => config.generationName || (className ? `${className}.${property}` : 'OpenAI-completion')
  return observePart(sdk, { config, nameOf, returned })
}
