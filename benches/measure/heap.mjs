/** The Worker's Wasm memory. It never shrinks: what it is now is the most that it ever was. */
import { Inspector } from './inspector.mjs';

/** Bytes, of the Worker and its objects together: they share one. Undefined where that cannot be told. */
export const wasmHeapBytes = (stack) =>
  Inspector.at(stack, async (inspector) => {
    const { objectId: prototypeObjectId } = await inspector.evaluate('WebAssembly.Memory.prototype');
    const { objects } = await inspector.call('Runtime.queryObjects', { prototypeObjectId });
    const { result } = await inspector.call('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: 'function () { return Math.max(...this.map(({ buffer }) => buffer.byteLength)); }',
      returnByValue: true,
    });
    return result.value;
  });
