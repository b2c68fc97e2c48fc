// Makes TextDecoder keep a byte order mark at the start of a text. PGlite decodes each value with a TextDecoder that PGlite creates.
// This module must be imported before PGlite, so that PGlite creates its decoders from the class below.

class WholeTextDecoder extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true })
  }
}

globalThis.TextDecoder = WholeTextDecoder
