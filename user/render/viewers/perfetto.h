/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of the fields of Perfetto's messages: github.com/google/perfetto, protos/perfetto/trace. */
#ifndef SKEP_RENDER_VIEWERS_PERFETTO_H
#define SKEP_RENDER_VIEWERS_PERFETTO_H

#define TRACE_PACKET 1 /* of Trace */

enum packet_field { /* trace_packet.proto */
	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_SAMPLE = 66,
};
enum packet_flag { PACKET_STATE_CLEARED = 1, PACKET_NEEDS_STATE = 2 };

enum interned_field { /* interned_data.proto */
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_CALLSTACK = 7,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH = 17,
	INTERNED_MAPPING = 19,
};
enum string_field { STRING_ID = 1, STRING_BYTES = 2 }; /* profile_common.proto, as the next */
enum mapping_field { MAPPING_ID = 1, MAPPING_BUILD_ID = 2, MAPPING_PATH = 7 };
enum frame_field { FRAME_ID = 1, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4 };
enum callstack_field { CALLSTACK_ID = 1, CALLSTACK_FRAMES = 2 };

enum sample_field { /* PerfSample of profile_packet.proto */
	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_CALLSTACK = 4,
	SAMPLE_MODE = 5,
	SAMPLE_TIMEBASE = 6,
};
enum sample_mode { MODE_KERNEL = 1, MODE_USER = 2 };
#define DEFAULTS_SAMPLE 12 /* trace_packet_defaults.proto: PerfSampleDefaults */
#define SAMPLE_DEFAULTS_TIMEBASE 1
#define TIMEBASE_NAME 10 /* common/perf_events.proto */

enum track_field { TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 }; /* track_descriptor.proto */
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum event_field { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_TITLE = 23 }; /* track_event.proto */
#define EVENT_INSTANT 3
enum annotation_field { ANNOTATION_UNSIGNED = 3, ANNOTATION_SIGNED = 4, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 }; /* debug_annotation.proto */

enum ftrace_field { FTRACE_CPU = 1, FTRACE_EVENT = 2 }; /* ftrace_event_bundle.proto */
enum ftrace_event_field { FTRACE_TIME = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4 }; /* ftrace_event.proto */

enum clock_field { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2 }; /* clock_snapshot.proto */
enum clock_number { CLOCK_NUMBER_REALTIME = 1, CLOCK_NUMBER_BOOTTIME = 6 };

#endif
