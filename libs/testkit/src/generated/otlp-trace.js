/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $Array = $util.global.Array, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $String = $util.global.String, $BigInt = $util.global.BigInt, $Boolean = $util.global.Boolean, $isFinite = $util.global.isFinite;

const $root = $protobuf.roots["svc-testkit"] || ($protobuf.roots["svc-testkit"] = {});

export const otlp = $root.otlp = (() => {

    const otlp = {};

    otlp.ExportTraceServiceRequest = (function() {

        const ExportTraceServiceRequest = function (properties) {
            this.resourceSpans = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ExportTraceServiceRequest.prototype.resourceSpans = $util.emptyArray;

        ExportTraceServiceRequest.create = function(properties) {
            return new ExportTraceServiceRequest(properties);
        };

        ExportTraceServiceRequest.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.resourceSpans != null && message.resourceSpans.length)
                for (let i = 0; i < message.resourceSpans.length; ++i)
                    $root.otlp.ResourceSpans.encode(message.resourceSpans[i], writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ExportTraceServiceRequest.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ExportTraceServiceRequest();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.resourceSpans && message.resourceSpans.length))
                            message.resourceSpans = [];
                        message.resourceSpans.push($root.otlp.ResourceSpans.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ExportTraceServiceRequest.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ExportTraceServiceRequest)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ExportTraceServiceRequest: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ExportTraceServiceRequest();
            if (object.resourceSpans) {
                if (!$Array.isArray(object.resourceSpans))
                    throw $TypeError(".otlp.ExportTraceServiceRequest.resourceSpans: array expected");
                message.resourceSpans = $Array(object.resourceSpans.length);
                for (let i = 0; i < object.resourceSpans.length; ++i) {
                    if (!$util.isObject(object.resourceSpans[i]))
                        throw $TypeError(".otlp.ExportTraceServiceRequest.resourceSpans: object expected");
                    message.resourceSpans[i] = $root.otlp.ResourceSpans.fromObject(object.resourceSpans[i], _depth + 1);
                }
            }
            return message;
        };

        ExportTraceServiceRequest.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.resourceSpans = [];
            if (message.resourceSpans && message.resourceSpans.length) {
                object.resourceSpans = $Array(message.resourceSpans.length);
                for (let j = 0; j < message.resourceSpans.length; ++j)
                    object.resourceSpans[j] = $root.otlp.ResourceSpans.toObject(message.resourceSpans[j], options, _depth + 1);
            }
            return object;
        };

        ExportTraceServiceRequest.prototype.toJSON = function() {
            return ExportTraceServiceRequest.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ExportTraceServiceRequest;
    })();

    otlp.ExportTraceServiceResponse = (function() {

        const ExportTraceServiceResponse = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ExportTraceServiceResponse.prototype.partialSuccess = null;

        ExportTraceServiceResponse.create = function(properties) {
            return new ExportTraceServiceResponse(properties);
        };

        ExportTraceServiceResponse.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.partialSuccess != null && $Object.hasOwnProperty.call(message, "partialSuccess"))
                $root.otlp.ExportTracePartialSuccess.encode(message.partialSuccess, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ExportTraceServiceResponse.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ExportTraceServiceResponse();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        message.partialSuccess = $root.otlp.ExportTracePartialSuccess.decode(reader, reader.size(), $undefined, _depth + 1, message.partialSuccess);
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ExportTraceServiceResponse.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ExportTraceServiceResponse)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ExportTraceServiceResponse: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ExportTraceServiceResponse();
            if (object.partialSuccess != null) {
                if (!$util.isObject(object.partialSuccess))
                    throw $TypeError(".otlp.ExportTraceServiceResponse.partialSuccess: object expected");
                message.partialSuccess = $root.otlp.ExportTracePartialSuccess.fromObject(object.partialSuccess, _depth + 1);
            }
            return message;
        };

        ExportTraceServiceResponse.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults)
                object.partialSuccess = null;
            if (message.partialSuccess != null && $Object.hasOwnProperty.call(message, "partialSuccess"))
                object.partialSuccess = $root.otlp.ExportTracePartialSuccess.toObject(message.partialSuccess, options, _depth + 1);
            return object;
        };

        ExportTraceServiceResponse.prototype.toJSON = function() {
            return ExportTraceServiceResponse.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ExportTraceServiceResponse;
    })();

    otlp.ExportTracePartialSuccess = (function() {

        const ExportTracePartialSuccess = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ExportTracePartialSuccess.prototype.rejectedSpans = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
        ExportTracePartialSuccess.prototype.errorMessage = "";

        ExportTracePartialSuccess.create = function(properties) {
            return new ExportTracePartialSuccess(properties);
        };

        ExportTracePartialSuccess.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.rejectedSpans != null && $Object.hasOwnProperty.call(message, "rejectedSpans") && (typeof message.rejectedSpans === "object" ? message.rejectedSpans.low || message.rejectedSpans.high : message.rejectedSpans !== 0))
                writer.uint32(8).int64(message.rejectedSpans);
            if (message.errorMessage != null && $Object.hasOwnProperty.call(message, "errorMessage") && message.errorMessage !== "")
                writer.uint32(18).string(message.errorMessage);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ExportTracePartialSuccess.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ExportTracePartialSuccess();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.rejectedSpans = value;
                        else
                            delete message.rejectedSpans;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.errorMessage = value;
                        else
                            delete message.errorMessage;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ExportTracePartialSuccess.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ExportTracePartialSuccess)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ExportTracePartialSuccess: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ExportTracePartialSuccess();
            if (object.rejectedSpans != null)
                if (typeof object.rejectedSpans === "object" ? object.rejectedSpans.low || object.rejectedSpans.high : $Number(object.rejectedSpans) !== 0)
                    if ($util.Long)
                        message.rejectedSpans = $util.Long.fromValue(object.rejectedSpans, false);
                    else if (typeof object.rejectedSpans === "string")
                        message.rejectedSpans = $parseInt(object.rejectedSpans, 10);
                    else if (typeof object.rejectedSpans === "number")
                        message.rejectedSpans = object.rejectedSpans;
                    else if (typeof object.rejectedSpans === "object")
                        message.rejectedSpans = new $util.LongBits(object.rejectedSpans.low >>> 0, object.rejectedSpans.high >>> 0).toNumber();
            if (object.errorMessage != null)
                if (typeof object.errorMessage !== "string" || object.errorMessage.length)
                    message.errorMessage = $String(object.errorMessage);
            return message;
        };

        ExportTracePartialSuccess.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.rejectedSpans = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.rejectedSpans = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                object.errorMessage = "";
            }
            if (message.rejectedSpans != null && $Object.hasOwnProperty.call(message, "rejectedSpans"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.rejectedSpans = typeof message.rejectedSpans === "number" ? $BigInt(message.rejectedSpans) : $util.Long.fromBits(message.rejectedSpans.low >>> 0, message.rejectedSpans.high >>> 0, false).toBigInt();
                else if (typeof message.rejectedSpans === "number")
                    object.rejectedSpans = options.longs === $String ? $String(message.rejectedSpans) : message.rejectedSpans;
                else
                    object.rejectedSpans = options.longs === $String ? $util.Long.prototype.toString.call(message.rejectedSpans) : options.longs === $Number ? new $util.LongBits(message.rejectedSpans.low >>> 0, message.rejectedSpans.high >>> 0).toNumber() : message.rejectedSpans;
            if (message.errorMessage != null && $Object.hasOwnProperty.call(message, "errorMessage"))
                object.errorMessage = message.errorMessage;
            return object;
        };

        ExportTracePartialSuccess.prototype.toJSON = function() {
            return ExportTracePartialSuccess.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ExportTracePartialSuccess;
    })();

    otlp.ResourceSpans = (function() {

        const ResourceSpans = function (properties) {
            this.scopeSpans = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ResourceSpans.prototype.resource = null;
        ResourceSpans.prototype.scopeSpans = $util.emptyArray;
        ResourceSpans.prototype.schemaUrl = "";

        ResourceSpans.create = function(properties) {
            return new ResourceSpans(properties);
        };

        ResourceSpans.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.resource != null && $Object.hasOwnProperty.call(message, "resource"))
                $root.otlp.Resource.encode(message.resource, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.scopeSpans != null && message.scopeSpans.length)
                for (let i = 0; i < message.scopeSpans.length; ++i)
                    $root.otlp.ScopeSpans.encode(message.scopeSpans[i], writer.uint32(18).fork(), _depth + 1).ldelim();
            if (message.schemaUrl != null && $Object.hasOwnProperty.call(message, "schemaUrl") && message.schemaUrl !== "")
                writer.uint32(26).string(message.schemaUrl);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ResourceSpans.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ResourceSpans();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        message.resource = $root.otlp.Resource.decode(reader, reader.size(), $undefined, _depth + 1, message.resource);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.scopeSpans && message.scopeSpans.length))
                            message.scopeSpans = [];
                        message.scopeSpans.push($root.otlp.ScopeSpans.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.schemaUrl = value;
                        else
                            delete message.schemaUrl;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ResourceSpans.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ResourceSpans)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ResourceSpans: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ResourceSpans();
            if (object.resource != null) {
                if (!$util.isObject(object.resource))
                    throw $TypeError(".otlp.ResourceSpans.resource: object expected");
                message.resource = $root.otlp.Resource.fromObject(object.resource, _depth + 1);
            }
            if (object.scopeSpans) {
                if (!$Array.isArray(object.scopeSpans))
                    throw $TypeError(".otlp.ResourceSpans.scopeSpans: array expected");
                message.scopeSpans = $Array(object.scopeSpans.length);
                for (let i = 0; i < object.scopeSpans.length; ++i) {
                    if (!$util.isObject(object.scopeSpans[i]))
                        throw $TypeError(".otlp.ResourceSpans.scopeSpans: object expected");
                    message.scopeSpans[i] = $root.otlp.ScopeSpans.fromObject(object.scopeSpans[i], _depth + 1);
                }
            }
            if (object.schemaUrl != null)
                if (typeof object.schemaUrl !== "string" || object.schemaUrl.length)
                    message.schemaUrl = $String(object.schemaUrl);
            return message;
        };

        ResourceSpans.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.scopeSpans = [];
            if (options.defaults) {
                object.resource = null;
                object.schemaUrl = "";
            }
            if (message.resource != null && $Object.hasOwnProperty.call(message, "resource"))
                object.resource = $root.otlp.Resource.toObject(message.resource, options, _depth + 1);
            if (message.scopeSpans && message.scopeSpans.length) {
                object.scopeSpans = $Array(message.scopeSpans.length);
                for (let j = 0; j < message.scopeSpans.length; ++j)
                    object.scopeSpans[j] = $root.otlp.ScopeSpans.toObject(message.scopeSpans[j], options, _depth + 1);
            }
            if (message.schemaUrl != null && $Object.hasOwnProperty.call(message, "schemaUrl"))
                object.schemaUrl = message.schemaUrl;
            return object;
        };

        ResourceSpans.prototype.toJSON = function() {
            return ResourceSpans.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ResourceSpans;
    })();

    otlp.Resource = (function() {

        const Resource = function (properties) {
            this.attributes = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Resource.prototype.attributes = $util.emptyArray;
        Resource.prototype.droppedAttributesCount = 0;

        Resource.create = function(properties) {
            return new Resource(properties);
        };

        Resource.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.attributes != null && message.attributes.length)
                for (let i = 0; i < message.attributes.length; ++i)
                    $root.otlp.KeyValue.encode(message.attributes[i], writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount") && message.droppedAttributesCount !== 0)
                writer.uint32(16).uint32(message.droppedAttributesCount);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Resource.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.Resource();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.attributes && message.attributes.length))
                            message.attributes = [];
                        message.attributes.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.droppedAttributesCount = value;
                        else
                            delete message.droppedAttributesCount;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        Resource.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.Resource)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.Resource: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.Resource();
            if (object.attributes) {
                if (!$Array.isArray(object.attributes))
                    throw $TypeError(".otlp.Resource.attributes: array expected");
                message.attributes = $Array(object.attributes.length);
                for (let i = 0; i < object.attributes.length; ++i) {
                    if (!$util.isObject(object.attributes[i]))
                        throw $TypeError(".otlp.Resource.attributes: object expected");
                    message.attributes[i] = $root.otlp.KeyValue.fromObject(object.attributes[i], _depth + 1);
                }
            }
            if (object.droppedAttributesCount != null)
                if ($Number(object.droppedAttributesCount) !== 0)
                    message.droppedAttributesCount = object.droppedAttributesCount >>> 0;
            return message;
        };

        Resource.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.attributes = [];
            if (options.defaults)
                object.droppedAttributesCount = 0;
            if (message.attributes && message.attributes.length) {
                object.attributes = $Array(message.attributes.length);
                for (let j = 0; j < message.attributes.length; ++j)
                    object.attributes[j] = $root.otlp.KeyValue.toObject(message.attributes[j], options, _depth + 1);
            }
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount"))
                object.droppedAttributesCount = message.droppedAttributesCount;
            return object;
        };

        Resource.prototype.toJSON = function() {
            return Resource.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Resource;
    })();

    otlp.ScopeSpans = (function() {

        const ScopeSpans = function (properties) {
            this.spans = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ScopeSpans.prototype.scope = null;
        ScopeSpans.prototype.spans = $util.emptyArray;
        ScopeSpans.prototype.schemaUrl = "";

        ScopeSpans.create = function(properties) {
            return new ScopeSpans(properties);
        };

        ScopeSpans.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.scope != null && $Object.hasOwnProperty.call(message, "scope"))
                $root.otlp.InstrumentationScope.encode(message.scope, writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.spans != null && message.spans.length)
                for (let i = 0; i < message.spans.length; ++i)
                    $root.otlp.Span.encode(message.spans[i], writer.uint32(18).fork(), _depth + 1).ldelim();
            if (message.schemaUrl != null && $Object.hasOwnProperty.call(message, "schemaUrl") && message.schemaUrl !== "")
                writer.uint32(26).string(message.schemaUrl);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ScopeSpans.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ScopeSpans();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        message.scope = $root.otlp.InstrumentationScope.decode(reader, reader.size(), $undefined, _depth + 1, message.scope);
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.spans && message.spans.length))
                            message.spans = [];
                        message.spans.push($root.otlp.Span.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.schemaUrl = value;
                        else
                            delete message.schemaUrl;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ScopeSpans.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ScopeSpans)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ScopeSpans: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ScopeSpans();
            if (object.scope != null) {
                if (!$util.isObject(object.scope))
                    throw $TypeError(".otlp.ScopeSpans.scope: object expected");
                message.scope = $root.otlp.InstrumentationScope.fromObject(object.scope, _depth + 1);
            }
            if (object.spans) {
                if (!$Array.isArray(object.spans))
                    throw $TypeError(".otlp.ScopeSpans.spans: array expected");
                message.spans = $Array(object.spans.length);
                for (let i = 0; i < object.spans.length; ++i) {
                    if (!$util.isObject(object.spans[i]))
                        throw $TypeError(".otlp.ScopeSpans.spans: object expected");
                    message.spans[i] = $root.otlp.Span.fromObject(object.spans[i], _depth + 1);
                }
            }
            if (object.schemaUrl != null)
                if (typeof object.schemaUrl !== "string" || object.schemaUrl.length)
                    message.schemaUrl = $String(object.schemaUrl);
            return message;
        };

        ScopeSpans.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.spans = [];
            if (options.defaults) {
                object.scope = null;
                object.schemaUrl = "";
            }
            if (message.scope != null && $Object.hasOwnProperty.call(message, "scope"))
                object.scope = $root.otlp.InstrumentationScope.toObject(message.scope, options, _depth + 1);
            if (message.spans && message.spans.length) {
                object.spans = $Array(message.spans.length);
                for (let j = 0; j < message.spans.length; ++j)
                    object.spans[j] = $root.otlp.Span.toObject(message.spans[j], options, _depth + 1);
            }
            if (message.schemaUrl != null && $Object.hasOwnProperty.call(message, "schemaUrl"))
                object.schemaUrl = message.schemaUrl;
            return object;
        };

        ScopeSpans.prototype.toJSON = function() {
            return ScopeSpans.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ScopeSpans;
    })();

    otlp.InstrumentationScope = (function() {

        const InstrumentationScope = function (properties) {
            this.attributes = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        InstrumentationScope.prototype.name = "";
        InstrumentationScope.prototype.version = "";
        InstrumentationScope.prototype.attributes = $util.emptyArray;
        InstrumentationScope.prototype.droppedAttributesCount = 0;

        InstrumentationScope.create = function(properties) {
            return new InstrumentationScope(properties);
        };

        InstrumentationScope.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                writer.uint32(10).string(message.name);
            if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== "")
                writer.uint32(18).string(message.version);
            if (message.attributes != null && message.attributes.length)
                for (let i = 0; i < message.attributes.length; ++i)
                    $root.otlp.KeyValue.encode(message.attributes[i], writer.uint32(26).fork(), _depth + 1).ldelim();
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount") && message.droppedAttributesCount !== 0)
                writer.uint32(32).uint32(message.droppedAttributesCount);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        InstrumentationScope.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.InstrumentationScope();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.name = value;
                        else
                            delete message.name;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.version = value;
                        else
                            delete message.version;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.attributes && message.attributes.length))
                            message.attributes = [];
                        message.attributes.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 4: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.droppedAttributesCount = value;
                        else
                            delete message.droppedAttributesCount;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        InstrumentationScope.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.InstrumentationScope)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.InstrumentationScope: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.InstrumentationScope();
            if (object.name != null)
                if (typeof object.name !== "string" || object.name.length)
                    message.name = $String(object.name);
            if (object.version != null)
                if (typeof object.version !== "string" || object.version.length)
                    message.version = $String(object.version);
            if (object.attributes) {
                if (!$Array.isArray(object.attributes))
                    throw $TypeError(".otlp.InstrumentationScope.attributes: array expected");
                message.attributes = $Array(object.attributes.length);
                for (let i = 0; i < object.attributes.length; ++i) {
                    if (!$util.isObject(object.attributes[i]))
                        throw $TypeError(".otlp.InstrumentationScope.attributes: object expected");
                    message.attributes[i] = $root.otlp.KeyValue.fromObject(object.attributes[i], _depth + 1);
                }
            }
            if (object.droppedAttributesCount != null)
                if ($Number(object.droppedAttributesCount) !== 0)
                    message.droppedAttributesCount = object.droppedAttributesCount >>> 0;
            return message;
        };

        InstrumentationScope.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.attributes = [];
            if (options.defaults) {
                object.name = "";
                object.version = "";
                object.droppedAttributesCount = 0;
            }
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                object.name = message.name;
            if (message.version != null && $Object.hasOwnProperty.call(message, "version"))
                object.version = message.version;
            if (message.attributes && message.attributes.length) {
                object.attributes = $Array(message.attributes.length);
                for (let j = 0; j < message.attributes.length; ++j)
                    object.attributes[j] = $root.otlp.KeyValue.toObject(message.attributes[j], options, _depth + 1);
            }
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount"))
                object.droppedAttributesCount = message.droppedAttributesCount;
            return object;
        };

        InstrumentationScope.prototype.toJSON = function() {
            return InstrumentationScope.toObject(this, $protobuf.util.toJSONOptions);
        };

        return InstrumentationScope;
    })();

    otlp.Span = (function() {

        const Span = function (properties) {
            this.attributes = [];
            this.events = [];
            this.links = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Span.prototype.traceId = $util.newBuffer([]);
        Span.prototype.spanId = $util.newBuffer([]);
        Span.prototype.traceState = "";
        Span.prototype.parentSpanId = $util.newBuffer([]);
        Span.prototype.name = "";
        Span.prototype.kind = 0;
        Span.prototype.startTimeUnixNano = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
        Span.prototype.endTimeUnixNano = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
        Span.prototype.attributes = $util.emptyArray;
        Span.prototype.droppedAttributesCount = 0;
        Span.prototype.events = $util.emptyArray;
        Span.prototype.droppedEventsCount = 0;
        Span.prototype.links = $util.emptyArray;
        Span.prototype.droppedLinksCount = 0;
        Span.prototype.status = null;
        Span.prototype.flags = 0;

        Span.create = function(properties) {
            return new Span(properties);
        };

        Span.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.traceId != null && $Object.hasOwnProperty.call(message, "traceId") && message.traceId.length)
                writer.uint32(10).bytes(message.traceId);
            if (message.spanId != null && $Object.hasOwnProperty.call(message, "spanId") && message.spanId.length)
                writer.uint32(18).bytes(message.spanId);
            if (message.traceState != null && $Object.hasOwnProperty.call(message, "traceState") && message.traceState !== "")
                writer.uint32(26).string(message.traceState);
            if (message.parentSpanId != null && $Object.hasOwnProperty.call(message, "parentSpanId") && message.parentSpanId.length)
                writer.uint32(34).bytes(message.parentSpanId);
            if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                writer.uint32(42).string(message.name);
            if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                writer.uint32(48).int32(message.kind);
            if (message.startTimeUnixNano != null && $Object.hasOwnProperty.call(message, "startTimeUnixNano") && (typeof message.startTimeUnixNano === "object" ? message.startTimeUnixNano.low || message.startTimeUnixNano.high : message.startTimeUnixNano !== 0))
                writer.uint32(57).fixed64(message.startTimeUnixNano);
            if (message.endTimeUnixNano != null && $Object.hasOwnProperty.call(message, "endTimeUnixNano") && (typeof message.endTimeUnixNano === "object" ? message.endTimeUnixNano.low || message.endTimeUnixNano.high : message.endTimeUnixNano !== 0))
                writer.uint32(65).fixed64(message.endTimeUnixNano);
            if (message.attributes != null && message.attributes.length)
                for (let i = 0; i < message.attributes.length; ++i)
                    $root.otlp.KeyValue.encode(message.attributes[i], writer.uint32(74).fork(), _depth + 1).ldelim();
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount") && message.droppedAttributesCount !== 0)
                writer.uint32(80).uint32(message.droppedAttributesCount);
            if (message.events != null && message.events.length)
                for (let i = 0; i < message.events.length; ++i)
                    $root.otlp.Span.Event.encode(message.events[i], writer.uint32(90).fork(), _depth + 1).ldelim();
            if (message.droppedEventsCount != null && $Object.hasOwnProperty.call(message, "droppedEventsCount") && message.droppedEventsCount !== 0)
                writer.uint32(96).uint32(message.droppedEventsCount);
            if (message.links != null && message.links.length)
                for (let i = 0; i < message.links.length; ++i)
                    $root.otlp.Span.Link.encode(message.links[i], writer.uint32(106).fork(), _depth + 1).ldelim();
            if (message.droppedLinksCount != null && $Object.hasOwnProperty.call(message, "droppedLinksCount") && message.droppedLinksCount !== 0)
                writer.uint32(112).uint32(message.droppedLinksCount);
            if (message.status != null && $Object.hasOwnProperty.call(message, "status"))
                $root.otlp.Status.encode(message.status, writer.uint32(122).fork(), _depth + 1).ldelim();
            if (message.flags != null && $Object.hasOwnProperty.call(message, "flags") && message.flags !== 0)
                writer.uint32(133).fixed32(message.flags);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Span.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.Span();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.bytes()).length)
                            message.traceId = value;
                        else
                            delete message.traceId;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.bytes()).length)
                            message.spanId = value;
                        else
                            delete message.spanId;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.traceState = value;
                        else
                            delete message.traceState;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.bytes()).length)
                            message.parentSpanId = value;
                        else
                            delete message.parentSpanId;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.name = value;
                        else
                            delete message.name;
                        continue;
                    }
                case 6: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.int32())
                            message.kind = value;
                        else
                            delete message.kind;
                        continue;
                    }
                case 7: {
                        if (wireType !== 1)
                            break;
                        if (typeof (value = reader.fixed64()) === "object" ? value.low || value.high : value !== 0)
                            message.startTimeUnixNano = value;
                        else
                            delete message.startTimeUnixNano;
                        continue;
                    }
                case 8: {
                        if (wireType !== 1)
                            break;
                        if (typeof (value = reader.fixed64()) === "object" ? value.low || value.high : value !== 0)
                            message.endTimeUnixNano = value;
                        else
                            delete message.endTimeUnixNano;
                        continue;
                    }
                case 9: {
                        if (wireType !== 2)
                            break;
                        if (!(message.attributes && message.attributes.length))
                            message.attributes = [];
                        message.attributes.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 10: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.droppedAttributesCount = value;
                        else
                            delete message.droppedAttributesCount;
                        continue;
                    }
                case 11: {
                        if (wireType !== 2)
                            break;
                        if (!(message.events && message.events.length))
                            message.events = [];
                        message.events.push($root.otlp.Span.Event.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 12: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.droppedEventsCount = value;
                        else
                            delete message.droppedEventsCount;
                        continue;
                    }
                case 13: {
                        if (wireType !== 2)
                            break;
                        if (!(message.links && message.links.length))
                            message.links = [];
                        message.links.push($root.otlp.Span.Link.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 14: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.droppedLinksCount = value;
                        else
                            delete message.droppedLinksCount;
                        continue;
                    }
                case 15: {
                        if (wireType !== 2)
                            break;
                        message.status = $root.otlp.Status.decode(reader, reader.size(), $undefined, _depth + 1, message.status);
                        continue;
                    }
                case 16: {
                        if (wireType !== 5)
                            break;
                        if (value = reader.fixed32())
                            message.flags = value;
                        else
                            delete message.flags;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        Span.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.Span)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.Span: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.Span();
            if (object.traceId != null)
                if (object.traceId.length)
                    if (typeof object.traceId === "string")
                        $util.base64.decode(object.traceId, message.traceId = $util.newBuffer($util.base64.length(object.traceId)), 0);
                    else if (object.traceId.length >= 0)
                        message.traceId = object.traceId;
            if (object.spanId != null)
                if (object.spanId.length)
                    if (typeof object.spanId === "string")
                        $util.base64.decode(object.spanId, message.spanId = $util.newBuffer($util.base64.length(object.spanId)), 0);
                    else if (object.spanId.length >= 0)
                        message.spanId = object.spanId;
            if (object.traceState != null)
                if (typeof object.traceState !== "string" || object.traceState.length)
                    message.traceState = $String(object.traceState);
            if (object.parentSpanId != null)
                if (object.parentSpanId.length)
                    if (typeof object.parentSpanId === "string")
                        $util.base64.decode(object.parentSpanId, message.parentSpanId = $util.newBuffer($util.base64.length(object.parentSpanId)), 0);
                    else if (object.parentSpanId.length >= 0)
                        message.parentSpanId = object.parentSpanId;
            if (object.name != null)
                if (typeof object.name !== "string" || object.name.length)
                    message.name = $String(object.name);
            if (object.kind !== 0 && (typeof object.kind !== "string" || $root.otlp.Span.SpanKind[object.kind] !== 0))
                switch (object.kind) {
                case "SPAN_KIND_UNSPECIFIED":
                case 0:
                    message.kind = 0;
                    break;
                case "SPAN_KIND_INTERNAL":
                case 1:
                    message.kind = 1;
                    break;
                case "SPAN_KIND_SERVER":
                case 2:
                    message.kind = 2;
                    break;
                case "SPAN_KIND_CLIENT":
                case 3:
                    message.kind = 3;
                    break;
                case "SPAN_KIND_PRODUCER":
                case 4:
                    message.kind = 4;
                    break;
                case "SPAN_KIND_CONSUMER":
                case 5:
                    message.kind = 5;
                    break;
                default:
                    if (typeof object.kind === "number" && (object.kind | 0) === object.kind)
                        message.kind = object.kind;
                }
            if (object.startTimeUnixNano != null)
                if (typeof object.startTimeUnixNano === "object" ? object.startTimeUnixNano.low || object.startTimeUnixNano.high : $Number(object.startTimeUnixNano) !== 0)
                    if ($util.Long)
                        message.startTimeUnixNano = $util.Long.fromValue(object.startTimeUnixNano, true);
                    else if (typeof object.startTimeUnixNano === "string")
                        message.startTimeUnixNano = $parseInt(object.startTimeUnixNano, 10);
                    else if (typeof object.startTimeUnixNano === "number")
                        message.startTimeUnixNano = object.startTimeUnixNano;
                    else if (typeof object.startTimeUnixNano === "object")
                        message.startTimeUnixNano = new $util.LongBits(object.startTimeUnixNano.low >>> 0, object.startTimeUnixNano.high >>> 0).toNumber(true);
            if (object.endTimeUnixNano != null)
                if (typeof object.endTimeUnixNano === "object" ? object.endTimeUnixNano.low || object.endTimeUnixNano.high : $Number(object.endTimeUnixNano) !== 0)
                    if ($util.Long)
                        message.endTimeUnixNano = $util.Long.fromValue(object.endTimeUnixNano, true);
                    else if (typeof object.endTimeUnixNano === "string")
                        message.endTimeUnixNano = $parseInt(object.endTimeUnixNano, 10);
                    else if (typeof object.endTimeUnixNano === "number")
                        message.endTimeUnixNano = object.endTimeUnixNano;
                    else if (typeof object.endTimeUnixNano === "object")
                        message.endTimeUnixNano = new $util.LongBits(object.endTimeUnixNano.low >>> 0, object.endTimeUnixNano.high >>> 0).toNumber(true);
            if (object.attributes) {
                if (!$Array.isArray(object.attributes))
                    throw $TypeError(".otlp.Span.attributes: array expected");
                message.attributes = $Array(object.attributes.length);
                for (let i = 0; i < object.attributes.length; ++i) {
                    if (!$util.isObject(object.attributes[i]))
                        throw $TypeError(".otlp.Span.attributes: object expected");
                    message.attributes[i] = $root.otlp.KeyValue.fromObject(object.attributes[i], _depth + 1);
                }
            }
            if (object.droppedAttributesCount != null)
                if ($Number(object.droppedAttributesCount) !== 0)
                    message.droppedAttributesCount = object.droppedAttributesCount >>> 0;
            if (object.events) {
                if (!$Array.isArray(object.events))
                    throw $TypeError(".otlp.Span.events: array expected");
                message.events = $Array(object.events.length);
                for (let i = 0; i < object.events.length; ++i) {
                    if (!$util.isObject(object.events[i]))
                        throw $TypeError(".otlp.Span.events: object expected");
                    message.events[i] = $root.otlp.Span.Event.fromObject(object.events[i], _depth + 1);
                }
            }
            if (object.droppedEventsCount != null)
                if ($Number(object.droppedEventsCount) !== 0)
                    message.droppedEventsCount = object.droppedEventsCount >>> 0;
            if (object.links) {
                if (!$Array.isArray(object.links))
                    throw $TypeError(".otlp.Span.links: array expected");
                message.links = $Array(object.links.length);
                for (let i = 0; i < object.links.length; ++i) {
                    if (!$util.isObject(object.links[i]))
                        throw $TypeError(".otlp.Span.links: object expected");
                    message.links[i] = $root.otlp.Span.Link.fromObject(object.links[i], _depth + 1);
                }
            }
            if (object.droppedLinksCount != null)
                if ($Number(object.droppedLinksCount) !== 0)
                    message.droppedLinksCount = object.droppedLinksCount >>> 0;
            if (object.status != null) {
                if (!$util.isObject(object.status))
                    throw $TypeError(".otlp.Span.status: object expected");
                message.status = $root.otlp.Status.fromObject(object.status, _depth + 1);
            }
            if (object.flags != null)
                if ($Number(object.flags) !== 0)
                    message.flags = object.flags >>> 0;
            return message;
        };

        Span.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.attributes = [];
                object.events = [];
                object.links = [];
            }
            if (options.defaults) {
                if (options.bytes === $String)
                    object.traceId = "";
                else {
                    object.traceId = [];
                    if (options.bytes !== $Array)
                        object.traceId = $util.newBuffer(object.traceId);
                }
                if (options.bytes === $String)
                    object.spanId = "";
                else {
                    object.spanId = [];
                    if (options.bytes !== $Array)
                        object.spanId = $util.newBuffer(object.spanId);
                }
                object.traceState = "";
                if (options.bytes === $String)
                    object.parentSpanId = "";
                else {
                    object.parentSpanId = [];
                    if (options.bytes !== $Array)
                        object.parentSpanId = $util.newBuffer(object.parentSpanId);
                }
                object.name = "";
                object.kind = options.enums === $String ? "SPAN_KIND_UNSPECIFIED" : 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, true);
                    object.startTimeUnixNano = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.startTimeUnixNano = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, true);
                    object.endTimeUnixNano = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.endTimeUnixNano = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                object.droppedAttributesCount = 0;
                object.droppedEventsCount = 0;
                object.droppedLinksCount = 0;
                object.status = null;
                object.flags = 0;
            }
            if (message.traceId != null && $Object.hasOwnProperty.call(message, "traceId"))
                object.traceId = options.bytes === $String ? $util.base64.encode(message.traceId, 0, message.traceId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.traceId) : message.traceId;
            if (message.spanId != null && $Object.hasOwnProperty.call(message, "spanId"))
                object.spanId = options.bytes === $String ? $util.base64.encode(message.spanId, 0, message.spanId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.spanId) : message.spanId;
            if (message.traceState != null && $Object.hasOwnProperty.call(message, "traceState"))
                object.traceState = message.traceState;
            if (message.parentSpanId != null && $Object.hasOwnProperty.call(message, "parentSpanId"))
                object.parentSpanId = options.bytes === $String ? $util.base64.encode(message.parentSpanId, 0, message.parentSpanId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.parentSpanId) : message.parentSpanId;
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                object.name = message.name;
            if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                object.kind = options.enums === $String ? $root.otlp.Span.SpanKind[message.kind] === $undefined ? message.kind : $root.otlp.Span.SpanKind[message.kind] : message.kind;
            if (message.startTimeUnixNano != null && $Object.hasOwnProperty.call(message, "startTimeUnixNano"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.startTimeUnixNano = typeof message.startTimeUnixNano === "number" ? $BigInt(message.startTimeUnixNano) : $util.Long.fromBits(message.startTimeUnixNano.low >>> 0, message.startTimeUnixNano.high >>> 0, true).toBigInt();
                else if (typeof message.startTimeUnixNano === "number")
                    object.startTimeUnixNano = options.longs === $String ? $String(message.startTimeUnixNano) : message.startTimeUnixNano;
                else
                    object.startTimeUnixNano = options.longs === $String ? $util.Long.prototype.toString.call(message.startTimeUnixNano) : options.longs === $Number ? new $util.LongBits(message.startTimeUnixNano.low >>> 0, message.startTimeUnixNano.high >>> 0).toNumber(true) : message.startTimeUnixNano;
            if (message.endTimeUnixNano != null && $Object.hasOwnProperty.call(message, "endTimeUnixNano"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.endTimeUnixNano = typeof message.endTimeUnixNano === "number" ? $BigInt(message.endTimeUnixNano) : $util.Long.fromBits(message.endTimeUnixNano.low >>> 0, message.endTimeUnixNano.high >>> 0, true).toBigInt();
                else if (typeof message.endTimeUnixNano === "number")
                    object.endTimeUnixNano = options.longs === $String ? $String(message.endTimeUnixNano) : message.endTimeUnixNano;
                else
                    object.endTimeUnixNano = options.longs === $String ? $util.Long.prototype.toString.call(message.endTimeUnixNano) : options.longs === $Number ? new $util.LongBits(message.endTimeUnixNano.low >>> 0, message.endTimeUnixNano.high >>> 0).toNumber(true) : message.endTimeUnixNano;
            if (message.attributes && message.attributes.length) {
                object.attributes = $Array(message.attributes.length);
                for (let j = 0; j < message.attributes.length; ++j)
                    object.attributes[j] = $root.otlp.KeyValue.toObject(message.attributes[j], options, _depth + 1);
            }
            if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount"))
                object.droppedAttributesCount = message.droppedAttributesCount;
            if (message.events && message.events.length) {
                object.events = $Array(message.events.length);
                for (let j = 0; j < message.events.length; ++j)
                    object.events[j] = $root.otlp.Span.Event.toObject(message.events[j], options, _depth + 1);
            }
            if (message.droppedEventsCount != null && $Object.hasOwnProperty.call(message, "droppedEventsCount"))
                object.droppedEventsCount = message.droppedEventsCount;
            if (message.links && message.links.length) {
                object.links = $Array(message.links.length);
                for (let j = 0; j < message.links.length; ++j)
                    object.links[j] = $root.otlp.Span.Link.toObject(message.links[j], options, _depth + 1);
            }
            if (message.droppedLinksCount != null && $Object.hasOwnProperty.call(message, "droppedLinksCount"))
                object.droppedLinksCount = message.droppedLinksCount;
            if (message.status != null && $Object.hasOwnProperty.call(message, "status"))
                object.status = $root.otlp.Status.toObject(message.status, options, _depth + 1);
            if (message.flags != null && $Object.hasOwnProperty.call(message, "flags"))
                object.flags = message.flags;
            return object;
        };

        Span.prototype.toJSON = function() {
            return Span.toObject(this, $protobuf.util.toJSONOptions);
        };

        Span.SpanKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SPAN_KIND_UNSPECIFIED"] = 0;
            values[valuesById[1] = "SPAN_KIND_INTERNAL"] = 1;
            values[valuesById[2] = "SPAN_KIND_SERVER"] = 2;
            values[valuesById[3] = "SPAN_KIND_CLIENT"] = 3;
            values[valuesById[4] = "SPAN_KIND_PRODUCER"] = 4;
            values[valuesById[5] = "SPAN_KIND_CONSUMER"] = 5;
            return values;
        })();

        Span.Event = (function() {

            const Event = function (properties) {
                this.attributes = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Event.prototype.timeUnixNano = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Event.prototype.name = "";
            Event.prototype.attributes = $util.emptyArray;
            Event.prototype.droppedAttributesCount = 0;

            Event.create = function(properties) {
                return new Event(properties);
            };

            Event.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.timeUnixNano != null && $Object.hasOwnProperty.call(message, "timeUnixNano") && (typeof message.timeUnixNano === "object" ? message.timeUnixNano.low || message.timeUnixNano.high : message.timeUnixNano !== 0))
                    writer.uint32(9).fixed64(message.timeUnixNano);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(18).string(message.name);
                if (message.attributes != null && message.attributes.length)
                    for (let i = 0; i < message.attributes.length; ++i)
                        $root.otlp.KeyValue.encode(message.attributes[i], writer.uint32(26).fork(), _depth + 1).ldelim();
                if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount") && message.droppedAttributesCount !== 0)
                    writer.uint32(32).uint32(message.droppedAttributesCount);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Event.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.otlp.Span.Event();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (typeof (value = reader.fixed64()) === "object" ? value.low || value.high : value !== 0)
                                message.timeUnixNano = value;
                            else
                                delete message.timeUnixNano;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.attributes && message.attributes.length))
                                message.attributes = [];
                            message.attributes.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.droppedAttributesCount = value;
                            else
                                delete message.droppedAttributesCount;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            Event.fromObject = function (object, _depth) {
                if (object instanceof $root.otlp.Span.Event)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".otlp.Span.Event: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.otlp.Span.Event();
                if (object.timeUnixNano != null)
                    if (typeof object.timeUnixNano === "object" ? object.timeUnixNano.low || object.timeUnixNano.high : $Number(object.timeUnixNano) !== 0)
                        if ($util.Long)
                            message.timeUnixNano = $util.Long.fromValue(object.timeUnixNano, true);
                        else if (typeof object.timeUnixNano === "string")
                            message.timeUnixNano = $parseInt(object.timeUnixNano, 10);
                        else if (typeof object.timeUnixNano === "number")
                            message.timeUnixNano = object.timeUnixNano;
                        else if (typeof object.timeUnixNano === "object")
                            message.timeUnixNano = new $util.LongBits(object.timeUnixNano.low >>> 0, object.timeUnixNano.high >>> 0).toNumber(true);
                if (object.name != null)
                    if (typeof object.name !== "string" || object.name.length)
                        message.name = $String(object.name);
                if (object.attributes) {
                    if (!$Array.isArray(object.attributes))
                        throw $TypeError(".otlp.Span.Event.attributes: array expected");
                    message.attributes = $Array(object.attributes.length);
                    for (let i = 0; i < object.attributes.length; ++i) {
                        if (!$util.isObject(object.attributes[i]))
                            throw $TypeError(".otlp.Span.Event.attributes: object expected");
                        message.attributes[i] = $root.otlp.KeyValue.fromObject(object.attributes[i], _depth + 1);
                    }
                }
                if (object.droppedAttributesCount != null)
                    if ($Number(object.droppedAttributesCount) !== 0)
                        message.droppedAttributesCount = object.droppedAttributesCount >>> 0;
                return message;
            };

            Event.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.attributes = [];
                if (options.defaults) {
                    if ($util.Long) {
                        let long = new $util.Long(0, 0, true);
                        object.timeUnixNano = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                    } else
                        object.timeUnixNano = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                    object.name = "";
                    object.droppedAttributesCount = 0;
                }
                if (message.timeUnixNano != null && $Object.hasOwnProperty.call(message, "timeUnixNano"))
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.timeUnixNano = typeof message.timeUnixNano === "number" ? $BigInt(message.timeUnixNano) : $util.Long.fromBits(message.timeUnixNano.low >>> 0, message.timeUnixNano.high >>> 0, true).toBigInt();
                    else if (typeof message.timeUnixNano === "number")
                        object.timeUnixNano = options.longs === $String ? $String(message.timeUnixNano) : message.timeUnixNano;
                    else
                        object.timeUnixNano = options.longs === $String ? $util.Long.prototype.toString.call(message.timeUnixNano) : options.longs === $Number ? new $util.LongBits(message.timeUnixNano.low >>> 0, message.timeUnixNano.high >>> 0).toNumber(true) : message.timeUnixNano;
                if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                    object.name = message.name;
                if (message.attributes && message.attributes.length) {
                    object.attributes = $Array(message.attributes.length);
                    for (let j = 0; j < message.attributes.length; ++j)
                        object.attributes[j] = $root.otlp.KeyValue.toObject(message.attributes[j], options, _depth + 1);
                }
                if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount"))
                    object.droppedAttributesCount = message.droppedAttributesCount;
                return object;
            };

            Event.prototype.toJSON = function() {
                return Event.toObject(this, $protobuf.util.toJSONOptions);
            };

            return Event;
        })();

        Span.Link = (function() {

            const Link = function (properties) {
                this.attributes = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Link.prototype.traceId = $util.newBuffer([]);
            Link.prototype.spanId = $util.newBuffer([]);
            Link.prototype.traceState = "";
            Link.prototype.attributes = $util.emptyArray;
            Link.prototype.droppedAttributesCount = 0;
            Link.prototype.flags = 0;

            Link.create = function(properties) {
                return new Link(properties);
            };

            Link.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.traceId != null && $Object.hasOwnProperty.call(message, "traceId") && message.traceId.length)
                    writer.uint32(10).bytes(message.traceId);
                if (message.spanId != null && $Object.hasOwnProperty.call(message, "spanId") && message.spanId.length)
                    writer.uint32(18).bytes(message.spanId);
                if (message.traceState != null && $Object.hasOwnProperty.call(message, "traceState") && message.traceState !== "")
                    writer.uint32(26).string(message.traceState);
                if (message.attributes != null && message.attributes.length)
                    for (let i = 0; i < message.attributes.length; ++i)
                        $root.otlp.KeyValue.encode(message.attributes[i], writer.uint32(34).fork(), _depth + 1).ldelim();
                if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount") && message.droppedAttributesCount !== 0)
                    writer.uint32(40).uint32(message.droppedAttributesCount);
                if (message.flags != null && $Object.hasOwnProperty.call(message, "flags") && message.flags !== 0)
                    writer.uint32(53).fixed32(message.flags);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Link.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.otlp.Span.Link();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.traceId = value;
                            else
                                delete message.traceId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.spanId = value;
                            else
                                delete message.spanId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.traceState = value;
                            else
                                delete message.traceState;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.attributes && message.attributes.length))
                                message.attributes = [];
                            message.attributes.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.droppedAttributesCount = value;
                            else
                                delete message.droppedAttributesCount;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 5)
                                break;
                            if (value = reader.fixed32())
                                message.flags = value;
                            else
                                delete message.flags;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            Link.fromObject = function (object, _depth) {
                if (object instanceof $root.otlp.Span.Link)
                    return object;
                if (!$util.isObject(object))
                    throw $TypeError(".otlp.Span.Link: object expected");
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let message = new $root.otlp.Span.Link();
                if (object.traceId != null)
                    if (object.traceId.length)
                        if (typeof object.traceId === "string")
                            $util.base64.decode(object.traceId, message.traceId = $util.newBuffer($util.base64.length(object.traceId)), 0);
                        else if (object.traceId.length >= 0)
                            message.traceId = object.traceId;
                if (object.spanId != null)
                    if (object.spanId.length)
                        if (typeof object.spanId === "string")
                            $util.base64.decode(object.spanId, message.spanId = $util.newBuffer($util.base64.length(object.spanId)), 0);
                        else if (object.spanId.length >= 0)
                            message.spanId = object.spanId;
                if (object.traceState != null)
                    if (typeof object.traceState !== "string" || object.traceState.length)
                        message.traceState = $String(object.traceState);
                if (object.attributes) {
                    if (!$Array.isArray(object.attributes))
                        throw $TypeError(".otlp.Span.Link.attributes: array expected");
                    message.attributes = $Array(object.attributes.length);
                    for (let i = 0; i < object.attributes.length; ++i) {
                        if (!$util.isObject(object.attributes[i]))
                            throw $TypeError(".otlp.Span.Link.attributes: object expected");
                        message.attributes[i] = $root.otlp.KeyValue.fromObject(object.attributes[i], _depth + 1);
                    }
                }
                if (object.droppedAttributesCount != null)
                    if ($Number(object.droppedAttributesCount) !== 0)
                        message.droppedAttributesCount = object.droppedAttributesCount >>> 0;
                if (object.flags != null)
                    if ($Number(object.flags) !== 0)
                        message.flags = object.flags >>> 0;
                return message;
            };

            Link.toObject = function (message, options, _depth) {
                if (!options)
                    options = {};
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                let object = {};
                if (options.arrays || options.defaults)
                    object.attributes = [];
                if (options.defaults) {
                    if (options.bytes === $String)
                        object.traceId = "";
                    else {
                        object.traceId = [];
                        if (options.bytes !== $Array)
                            object.traceId = $util.newBuffer(object.traceId);
                    }
                    if (options.bytes === $String)
                        object.spanId = "";
                    else {
                        object.spanId = [];
                        if (options.bytes !== $Array)
                            object.spanId = $util.newBuffer(object.spanId);
                    }
                    object.traceState = "";
                    object.droppedAttributesCount = 0;
                    object.flags = 0;
                }
                if (message.traceId != null && $Object.hasOwnProperty.call(message, "traceId"))
                    object.traceId = options.bytes === $String ? $util.base64.encode(message.traceId, 0, message.traceId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.traceId) : message.traceId;
                if (message.spanId != null && $Object.hasOwnProperty.call(message, "spanId"))
                    object.spanId = options.bytes === $String ? $util.base64.encode(message.spanId, 0, message.spanId.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.spanId) : message.spanId;
                if (message.traceState != null && $Object.hasOwnProperty.call(message, "traceState"))
                    object.traceState = message.traceState;
                if (message.attributes && message.attributes.length) {
                    object.attributes = $Array(message.attributes.length);
                    for (let j = 0; j < message.attributes.length; ++j)
                        object.attributes[j] = $root.otlp.KeyValue.toObject(message.attributes[j], options, _depth + 1);
                }
                if (message.droppedAttributesCount != null && $Object.hasOwnProperty.call(message, "droppedAttributesCount"))
                    object.droppedAttributesCount = message.droppedAttributesCount;
                if (message.flags != null && $Object.hasOwnProperty.call(message, "flags"))
                    object.flags = message.flags;
                return object;
            };

            Link.prototype.toJSON = function() {
                return Link.toObject(this, $protobuf.util.toJSONOptions);
            };

            return Link;
        })();

        return Span;
    })();

    otlp.Status = (function() {

        const Status = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        Status.prototype.message = "";
        Status.prototype.code = 0;

        Status.create = function(properties) {
            return new Status(properties);
        };

        Status.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                writer.uint32(18).string(message.message);
            if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== 0)
                writer.uint32(24).int32(message.code);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        Status.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.Status();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.message = value;
                        else
                            delete message.message;
                        continue;
                    }
                case 3: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.int32())
                            message.code = value;
                        else
                            delete message.code;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        Status.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.Status)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.Status: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.Status();
            if (object.message != null)
                if (typeof object.message !== "string" || object.message.length)
                    message.message = $String(object.message);
            if (object.code !== 0 && (typeof object.code !== "string" || $root.otlp.Status.StatusCode[object.code] !== 0))
                switch (object.code) {
                case "STATUS_CODE_UNSET":
                case 0:
                    message.code = 0;
                    break;
                case "STATUS_CODE_OK":
                case 1:
                    message.code = 1;
                    break;
                case "STATUS_CODE_ERROR":
                case 2:
                    message.code = 2;
                    break;
                default:
                    if (typeof object.code === "number" && (object.code | 0) === object.code)
                        message.code = object.code;
                }
            return message;
        };

        Status.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.message = "";
                object.code = options.enums === $String ? "STATUS_CODE_UNSET" : 0;
            }
            if (message.message != null && $Object.hasOwnProperty.call(message, "message"))
                object.message = message.message;
            if (message.code != null && $Object.hasOwnProperty.call(message, "code"))
                object.code = options.enums === $String ? $root.otlp.Status.StatusCode[message.code] === $undefined ? message.code : $root.otlp.Status.StatusCode[message.code] : message.code;
            return object;
        };

        Status.prototype.toJSON = function() {
            return Status.toObject(this, $protobuf.util.toJSONOptions);
        };

        Status.StatusCode = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "STATUS_CODE_UNSET"] = 0;
            values[valuesById[1] = "STATUS_CODE_OK"] = 1;
            values[valuesById[2] = "STATUS_CODE_ERROR"] = 2;
            return values;
        })();

        return Status;
    })();

    otlp.KeyValue = (function() {

        const KeyValue = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        KeyValue.prototype.key = "";
        KeyValue.prototype.value = null;

        KeyValue.create = function(properties) {
            return new KeyValue(properties);
        };

        KeyValue.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key !== "")
                writer.uint32(10).string(message.key);
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                $root.otlp.AnyValue.encode(message.value, writer.uint32(18).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        KeyValue.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.KeyValue();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.key = value;
                        else
                            delete message.key;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        message.value = $root.otlp.AnyValue.decode(reader, reader.size(), $undefined, _depth + 1, message.value);
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        KeyValue.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.KeyValue)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.KeyValue: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.KeyValue();
            if (object.key != null)
                if (typeof object.key !== "string" || object.key.length)
                    message.key = $String(object.key);
            if (object.value != null) {
                if (!$util.isObject(object.value))
                    throw $TypeError(".otlp.KeyValue.value: object expected");
                message.value = $root.otlp.AnyValue.fromObject(object.value, _depth + 1);
            }
            return message;
        };

        KeyValue.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.key = "";
                object.value = null;
            }
            if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                object.key = message.key;
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                object.value = $root.otlp.AnyValue.toObject(message.value, options, _depth + 1);
            return object;
        };

        KeyValue.prototype.toJSON = function() {
            return KeyValue.toObject(this, $protobuf.util.toJSONOptions);
        };

        return KeyValue;
    })();

    otlp.AnyValue = (function() {

        const AnyValue = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        AnyValue.prototype.stringValue = null;
        AnyValue.prototype.boolValue = null;
        AnyValue.prototype.intValue = null;
        AnyValue.prototype.doubleValue = null;
        AnyValue.prototype.arrayValue = null;
        AnyValue.prototype.kvlistValue = null;
        AnyValue.prototype.bytesValue = null;

        let $oneOfFields;

        $Object.defineProperty(AnyValue.prototype, "value", {
            get: $util.oneOfGetter($oneOfFields = ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"]),
            set: $util.oneOfSetter($oneOfFields)
        });

        AnyValue.create = function(properties) {
            return new AnyValue(properties);
        };

        AnyValue.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.stringValue != null && $Object.hasOwnProperty.call(message, "stringValue"))
                writer.uint32(10).string(message.stringValue);
            if (message.boolValue != null && $Object.hasOwnProperty.call(message, "boolValue"))
                writer.uint32(16).bool(message.boolValue);
            if (message.intValue != null && $Object.hasOwnProperty.call(message, "intValue"))
                writer.uint32(24).int64(message.intValue);
            if (message.doubleValue != null && $Object.hasOwnProperty.call(message, "doubleValue"))
                writer.uint32(33).double(message.doubleValue);
            if (message.arrayValue != null && $Object.hasOwnProperty.call(message, "arrayValue"))
                $root.otlp.ArrayValue.encode(message.arrayValue, writer.uint32(42).fork(), _depth + 1).ldelim();
            if (message.kvlistValue != null && $Object.hasOwnProperty.call(message, "kvlistValue"))
                $root.otlp.KeyValueList.encode(message.kvlistValue, writer.uint32(50).fork(), _depth + 1).ldelim();
            if (message.bytesValue != null && $Object.hasOwnProperty.call(message, "bytesValue"))
                writer.uint32(58).bytes(message.bytesValue);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        AnyValue.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.AnyValue();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        message.stringValue = reader.stringVerify();
                        message.value = "stringValue";
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        message.boolValue = reader.bool();
                        message.value = "boolValue";
                        continue;
                    }
                case 3: {
                        if (wireType !== 0)
                            break;
                        message.intValue = reader.int64();
                        message.value = "intValue";
                        continue;
                    }
                case 4: {
                        if (wireType !== 1)
                            break;
                        message.doubleValue = reader.double();
                        message.value = "doubleValue";
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        message.arrayValue = $root.otlp.ArrayValue.decode(reader, reader.size(), $undefined, _depth + 1, message.arrayValue);
                        message.value = "arrayValue";
                        continue;
                    }
                case 6: {
                        if (wireType !== 2)
                            break;
                        message.kvlistValue = $root.otlp.KeyValueList.decode(reader, reader.size(), $undefined, _depth + 1, message.kvlistValue);
                        message.value = "kvlistValue";
                        continue;
                    }
                case 7: {
                        if (wireType !== 2)
                            break;
                        message.bytesValue = reader.bytes();
                        message.value = "bytesValue";
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        AnyValue.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.AnyValue)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.AnyValue: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.AnyValue();
            if (object.stringValue != null)
                message.stringValue = $String(object.stringValue);
            if (object.boolValue != null)
                message.boolValue = $Boolean(object.boolValue);
            if (object.intValue != null)
                if ($util.Long)
                    message.intValue = $util.Long.fromValue(object.intValue, false);
                else if (typeof object.intValue === "string")
                    message.intValue = $parseInt(object.intValue, 10);
                else if (typeof object.intValue === "number")
                    message.intValue = object.intValue;
                else if (typeof object.intValue === "object")
                    message.intValue = new $util.LongBits(object.intValue.low >>> 0, object.intValue.high >>> 0).toNumber();
            if (object.doubleValue != null)
                message.doubleValue = $Number(object.doubleValue);
            if (object.arrayValue != null) {
                if (!$util.isObject(object.arrayValue))
                    throw $TypeError(".otlp.AnyValue.arrayValue: object expected");
                message.arrayValue = $root.otlp.ArrayValue.fromObject(object.arrayValue, _depth + 1);
            }
            if (object.kvlistValue != null) {
                if (!$util.isObject(object.kvlistValue))
                    throw $TypeError(".otlp.AnyValue.kvlistValue: object expected");
                message.kvlistValue = $root.otlp.KeyValueList.fromObject(object.kvlistValue, _depth + 1);
            }
            if (object.bytesValue != null)
                if (typeof object.bytesValue === "string")
                    $util.base64.decode(object.bytesValue, message.bytesValue = $util.newBuffer($util.base64.length(object.bytesValue)), 0);
                else if (object.bytesValue.length >= 0)
                    message.bytesValue = object.bytesValue;
            return message;
        };

        AnyValue.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (message.stringValue != null && $Object.hasOwnProperty.call(message, "stringValue")) {
                object.stringValue = message.stringValue;
                if (options.oneofs)
                    object.value = "stringValue";
            }
            if (message.boolValue != null && $Object.hasOwnProperty.call(message, "boolValue")) {
                object.boolValue = message.boolValue;
                if (options.oneofs)
                    object.value = "boolValue";
            }
            if (message.intValue != null && $Object.hasOwnProperty.call(message, "intValue")) {
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.intValue = typeof message.intValue === "number" ? $BigInt(message.intValue) : $util.Long.fromBits(message.intValue.low >>> 0, message.intValue.high >>> 0, false).toBigInt();
                else if (typeof message.intValue === "number")
                    object.intValue = options.longs === $String ? $String(message.intValue) : message.intValue;
                else
                    object.intValue = options.longs === $String ? $util.Long.prototype.toString.call(message.intValue) : options.longs === $Number ? new $util.LongBits(message.intValue.low >>> 0, message.intValue.high >>> 0).toNumber() : message.intValue;
                if (options.oneofs)
                    object.value = "intValue";
            }
            if (message.doubleValue != null && $Object.hasOwnProperty.call(message, "doubleValue")) {
                object.doubleValue = options.json && !$isFinite(message.doubleValue) ? $String(message.doubleValue) : message.doubleValue;
                if (options.oneofs)
                    object.value = "doubleValue";
            }
            if (message.arrayValue != null && $Object.hasOwnProperty.call(message, "arrayValue")) {
                object.arrayValue = $root.otlp.ArrayValue.toObject(message.arrayValue, options, _depth + 1);
                if (options.oneofs)
                    object.value = "arrayValue";
            }
            if (message.kvlistValue != null && $Object.hasOwnProperty.call(message, "kvlistValue")) {
                object.kvlistValue = $root.otlp.KeyValueList.toObject(message.kvlistValue, options, _depth + 1);
                if (options.oneofs)
                    object.value = "kvlistValue";
            }
            if (message.bytesValue != null && $Object.hasOwnProperty.call(message, "bytesValue")) {
                object.bytesValue = options.bytes === $String ? $util.base64.encode(message.bytesValue, 0, message.bytesValue.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.bytesValue) : message.bytesValue;
                if (options.oneofs)
                    object.value = "bytesValue";
            }
            return object;
        };

        AnyValue.prototype.toJSON = function() {
            return AnyValue.toObject(this, $protobuf.util.toJSONOptions);
        };

        return AnyValue;
    })();

    otlp.ArrayValue = (function() {

        const ArrayValue = function (properties) {
            this.values = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        ArrayValue.prototype.values = $util.emptyArray;

        ArrayValue.create = function(properties) {
            return new ArrayValue(properties);
        };

        ArrayValue.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.values != null && message.values.length)
                for (let i = 0; i < message.values.length; ++i)
                    $root.otlp.AnyValue.encode(message.values[i], writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        ArrayValue.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.ArrayValue();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.values && message.values.length))
                            message.values = [];
                        message.values.push($root.otlp.AnyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        ArrayValue.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.ArrayValue)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.ArrayValue: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.ArrayValue();
            if (object.values) {
                if (!$Array.isArray(object.values))
                    throw $TypeError(".otlp.ArrayValue.values: array expected");
                message.values = $Array(object.values.length);
                for (let i = 0; i < object.values.length; ++i) {
                    if (!$util.isObject(object.values[i]))
                        throw $TypeError(".otlp.ArrayValue.values: object expected");
                    message.values[i] = $root.otlp.AnyValue.fromObject(object.values[i], _depth + 1);
                }
            }
            return message;
        };

        ArrayValue.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.values = [];
            if (message.values && message.values.length) {
                object.values = $Array(message.values.length);
                for (let j = 0; j < message.values.length; ++j)
                    object.values[j] = $root.otlp.AnyValue.toObject(message.values[j], options, _depth + 1);
            }
            return object;
        };

        ArrayValue.prototype.toJSON = function() {
            return ArrayValue.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ArrayValue;
    })();

    otlp.KeyValueList = (function() {

        const KeyValueList = function (properties) {
            this.values = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        KeyValueList.prototype.values = $util.emptyArray;

        KeyValueList.create = function(properties) {
            return new KeyValueList(properties);
        };

        KeyValueList.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.values != null && message.values.length)
                for (let i = 0; i < message.values.length; ++i)
                    $root.otlp.KeyValue.encode(message.values[i], writer.uint32(10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        KeyValueList.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.otlp.KeyValueList();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.values && message.values.length))
                            message.values = [];
                        message.values.push($root.otlp.KeyValue.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        KeyValueList.fromObject = function (object, _depth) {
            if (object instanceof $root.otlp.KeyValueList)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".otlp.KeyValueList: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.otlp.KeyValueList();
            if (object.values) {
                if (!$Array.isArray(object.values))
                    throw $TypeError(".otlp.KeyValueList.values: array expected");
                message.values = $Array(object.values.length);
                for (let i = 0; i < object.values.length; ++i) {
                    if (!$util.isObject(object.values[i]))
                        throw $TypeError(".otlp.KeyValueList.values: object expected");
                    message.values[i] = $root.otlp.KeyValue.fromObject(object.values[i], _depth + 1);
                }
            }
            return message;
        };

        KeyValueList.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.values = [];
            if (message.values && message.values.length) {
                object.values = $Array(message.values.length);
                for (let j = 0; j < message.values.length; ++j)
                    object.values[j] = $root.otlp.KeyValue.toObject(message.values[j], options, _depth + 1);
            }
            return object;
        };

        KeyValueList.prototype.toJSON = function() {
            return KeyValueList.toObject(this, $protobuf.util.toJSONOptions);
        };

        return KeyValueList;
    })();

    return otlp;
})();

export {
  $root as default
};
