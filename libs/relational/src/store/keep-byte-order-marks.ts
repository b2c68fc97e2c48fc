// Makes TextDecoder keep a byte order mark at the start of a text. PGlite decodes each value with a TextDecoder, so this module must be
// imported before PGlite.

class WholeTextDecoder extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true })
  }
}

globalThis.TextDecoder = WholeTextDecoder
