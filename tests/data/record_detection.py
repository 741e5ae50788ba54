#!/usr/bin/env python3
"""Writes a small Mask R-CNN with feature pyramid, in the form in which detectron2 exports one, and Caffe2's results.

  record_detection.py FOLDER [SEED]

The net has what an export leaves behind: AliasWithName, copies between devices and back, Reshape in front of FC.
FOLDER gets predict.pb, init.pb (the parameters), inputs.pb and outputs.pb: nets of fills. Needs the packages caffe2,
numpy and protobuf.
"""
import os
import sys

import numpy
from caffe2.proto import caffe2_pb2
from caffe2.python import core, utils, workspace

CLASSES = 4
ANCHORS = 3
WIDTH = 8
LEVELS = {2: 4, 3: 8}  # level of the pyramid: its stride


class Model:
    def __init__(self, seed):
        self.random = numpy.random.RandomState(seed)
        self.predict = caffe2_pb2.NetDef(name="detection")
        self.parameters = {}

    def alias(self, x, y, name, backward):
        made = core.CreateOperator("AliasWithName", [x], [y], is_backward=backward)
        made.arg.extend([utils.MakeArgument("name", name)])
        self.predict.op.extend([made])

    def op(self, type, inputs, outputs, **arguments):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        made = core.CreateOperator(type, inputs, outputs, **arguments)
        if type == "CopyCPUToGPU" or type == "CopyGPUToCPU":
            made.device_option.device_type = caffe2_pb2.CUDA
        self.predict.op.extend([made])
        return outputs[0]

    def parameter(self, name, value):
        self.parameters[name] = numpy.asarray(value)
        return name

    def weights(self, name, *shape):
        fan = numpy.prod(shape[1:])
        return self.parameter(name, (self.random.randn(*shape) * (1.5 / fan) ** 0.5).astype(numpy.float32))

    def bias(self, name, count):
        return self.parameter(name, (self.random.randn(count) * 0.1).astype(numpy.float32))

    def conv(self, x, y, out, kernel=1, stride=1, channels=WIDTH):
        return self.op("Conv", [x, self.weights(y + "_w", out, channels, kernel, kernel), self.bias(y + "_b", out)], y,
                       kernel=kernel, stride=stride, pad=kernel // 2)

    def fc(self, x, y, out, channels):
        return self.op("FC", [x, self.weights(y + "_w", out, channels), self.bias(y + "_b", out)], y)

    def relu(self, x):
        return self.op("Relu", [x], x)

    def norm(self, x, y, channels=WIDTH):
        rows = [self.parameter(y + end, self.random.uniform(low, 1.5, channels).astype(numpy.float32))
                for end, low in (("_s", 0.5), ("_bias", -0.5), ("_rm", -0.2), ("_riv", 0.5))]
        return self.op("SpatialBN", [x] + rows, y, is_test=1)

    def to_cpu(self, x):
        return self.op("CopyGPUToCPU", [x], x + "_cpu")

    def to_gpu(self, x):
        return self.op("CopyCPUToGPU", [x], x + "_gpu")

    def pooled(self, features, rois, name, size):
        """RoIAlign of each box on its level of the pyramid, in the order of the boxes."""
        rows = [name + "_rois_fpn%d" % level for level in LEVELS]
        self.op("DistributeFpnProposals", [rois], rows + [name + "_restore"], roi_min_level=min(LEVELS),
                roi_max_level=max(LEVELS), roi_canonical_scale=20, roi_canonical_level=3, legacy_plus_one=0)
        parts = [self.op("RoIAlign", [features[level], self.to_gpu(row)], "%s_fpn%d" % (name, level), pooled_h=size,
                         pooled_w=size, spatial_scale=1.0 / LEVELS[level], sampling_ratio=0, aligned=1)
                 for level, row in zip(LEVELS, rows)]
        self.op("Concat", parts, [name + "_shuffled", name + "_split"], axis=0)
        return self.op("BatchPermutation", [name + "_shuffled", self.to_gpu(name + "_restore")], name)


def build(seed):
    m = Model(seed)
    m.alias("0", "1", "data", 0)
    m.alias("2", "3", "im_info", 0)
    im_info = m.to_cpu("3")
    # Backbone and pyramid.
    x = m.relu(m.norm(m.conv("1", "conv1", WIDTH, 3, 2, 3), "conv1_bn"))
    c2 = m.relu(m.conv(x, "res2", WIDTH, 3, 2))
    c3 = m.relu(m.conv(c2, "res3", WIDTH, 3, 2))
    p3 = m.conv(c3, "fpn3", WIDTH)
    up = m.op("ResizeNearest", [p3], "fpn3_up", width_scale=2.0, height_scale=2.0)
    features = {2: m.op("Sum", [m.conv(c2, "fpn2_lateral", WIDTH), up], "fpn2"), 3: p3}
    # Proposals.
    rois, scores = [], []
    for level, stride in LEVELS.items():
        name = "rpn%d" % level
        hidden = m.relu(m.conv(features[level], name, WIDTH, 3))
        scores_of_level = m.op("Sigmoid", [m.conv(hidden, name + "_logits", ANCHORS)], name + "_probs")
        deltas = m.conv(hidden, name + "_deltas", 4 * ANCHORS)
        m.parameters[name + "_deltas_w"] *= numpy.float32(0.3)
        size = 4 * stride
        sizes = (size, size / 2), (size, size), (size / 2, size)
        anchors = numpy.array([[-w / 2, -h / 2, w / 2, h / 2] for w, h in sizes])
        anchor = m.parameter(name + "_anchors", anchors.astype(numpy.float32))
        m.op("GenerateProposals", [m.to_cpu(scores_of_level), m.to_cpu(deltas), im_info, anchor],
             [name + "_rois", name + "_scores"], spatial_scale=1.0 / stride, pre_nms_topN=60, post_nms_topN=20,
             nms_thresh=0.7, min_size=0.0, legacy_plus_one=0)
        rois.append(m.to_cpu(m.to_gpu(name + "_rois")))
        scores.append(m.to_cpu(m.to_gpu(name + "_scores")))
    m.op("CollectRpnProposals", rois + scores, "rois", rpn_min_level=min(LEVELS), rpn_max_level=max(LEVELS),
         rpn_post_nms_topN=24)
    # Boxes.
    pooled = m.pooled(features, "rois", "box_features", 4)
    shape = m.parameter("flat_shape", numpy.array([-1, WIDTH * 16], numpy.int64))
    m.op("Reshape", [pooled, shape], ["box_flat", "box_old_shape"])
    hidden = m.relu(m.fc("box_flat", "fc6", 16, WIDTH * 16))
    probs = m.op("Softmax", [m.fc(hidden, "cls_score", CLASSES + 1, 16)], "cls_prob")
    m.parameters["cls_score_w"] *= numpy.float32(2)
    deltas = m.fc(hidden, "bbox_pred", 4 * CLASSES, 16)
    m.op("BBoxTransform", ["rois", m.to_cpu(deltas), im_info], ["pred_bbox", "splits"], weights=[10.0, 10.0, 5.0, 5.0],
         apply_scale=1, legacy_plus_one=0)
    m.op("BoxWithNMSLimit", [m.to_cpu(probs), "pred_bbox", "splits"],
         ["score_nms", "bbox_nms", "class_nms", "splits_nms", "keeps_nms", "keeps_size_nms"],
         score_thresh=0.05, nms=0.5, detections_per_im=12, input_boxes_include_bg_cls=0,
         output_classes_include_bg_cls=0, legacy_plus_one=0)
    # Masks.
    x = m.pooled(features, "bbox_nms", "mask_features", 6)
    x = m.relu(m.conv(x, "mask_fcn1", WIDTH, 3))
    x = m.relu(m.op("ConvTranspose", [x, m.weights("mask_up_w", WIDTH, WIDTH, 2, 2), m.bias("mask_up_b", WIDTH)],
                    "mask_up", kernel=2, stride=2))
    m.op("Sigmoid", [m.conv(x, "mask_logits", CLASSES)], "mask_probs")
    m.alias("mask_probs", "4", "mask_fcn_probs", 1)
    m.predict.external_input.extend(["0", "2"] + sorted(m.parameters))
    m.predict.external_output.extend(["bbox_nms", "score_nms", "class_nms", "splits_nms", "keeps_nms", "4"])
    return m


def fills(blobs, name):
    net = caffe2_pb2.NetDef(name=name)
    types = {"float32": "GivenTensorFill", "int32": "GivenTensorIntFill", "int64": "GivenTensorInt64Fill"}
    for blob, value in blobs.items():
        net.op.extend([core.CreateOperator(types[str(value.dtype)], [], [blob], shape=value.shape,
                                           values=value.ravel().tolist())])
        net.external_output.append(blob)
    return net


def main(folder, seed=14):
    model = build(seed)
    inputs = {"0": model.random.randn(1, 3, 48, 64).astype(numpy.float32).round(2),
              "2": numpy.array([[48, 64, 1]], numpy.float32)}
    workspace.ResetWorkspace()
    for blob, value in {**model.parameters, **inputs}.items():
        workspace.FeedBlob(blob, value)
    on_cpu = caffe2_pb2.NetDef()
    on_cpu.CopyFrom(model.predict)
    for op in on_cpu.op:
        op.ClearField("device_option")
        if op.type.startswith("Copy"):
            op.type = "Copy"
    workspace.RunNetOnce(on_cpu)
    outputs = {blob: workspace.FetchBlob(blob) for blob in model.predict.external_output}
    os.makedirs(folder, exist_ok=True)
    for name, net in (("predict", model.predict), ("init", fills(model.parameters, "detection_init")),
                      ("inputs", fills(inputs, "inputs")), ("outputs", fills(outputs, "outputs"))):
        with open(os.path.join(folder, name + ".pb"), "wb") as file:
            file.write(net.SerializeToString(deterministic=True))
    return model, outputs


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 14)
